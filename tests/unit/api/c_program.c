#include "c_program.h"

#include <string.h>

#include "mtf/mtf.h"

/* Leaves the part with the line if the condition does not hold. */
#define CHECK(condition) \
  do {                   \
    if (!(condition)) {  \
      mtf_close(mtf);    \
      return __LINE__;   \
    }                    \
  } while (0)

static mtf_interpreter* opened(const char* mesh, const char* layout) {
  mtf_options options = {0};
  mtf_interpreter* mtf = NULL;
  options.mesh = mesh;
  options.layout = layout;
  mtf_open(&options, &mtf);
  return mtf;
}

int tensors_go_in_and_come_out(void) {
  const float numbers[6] = {1, 2, 3, 4, 5, 6};
  const mtf_dim dims[2] = {{"a", 2}, {"b", 3}};
  const mtf_tensor x = {MTF_F32, 2, dims, sizeof numbers, numbers};
  const mtf_tensor* y = NULL;
  double sum = 0;
  int i;
  mtf_interpreter* mtf = opened("p:2", "a:p");
  CHECK(mtf_set_tensor(mtf, "x", &x) == MTF_OK);
  CHECK(mtf_last_error(mtf) == NULL);
  CHECK(mtf_run(mtf, "let y = x * 2") == MTF_OK);
  CHECK(mtf_get_tensor(mtf, "y", &y) == MTF_OK);
  mtf_close(mtf);
  mtf = NULL;
  CHECK(y->element == MTF_F32 && y->dim_count == 2 && y->bytes == sizeof numbers);
  CHECK(strcmp(y->dims[1].name, "b") == 0 && y->dims[1].size == 3);
  for (i = 0; i < 6; ++i) CHECK(((const float*)y->data)[i] == 2 * numbers[i]);
  mtf_free_tensor(y);
  mtf = opened(NULL, NULL);
  CHECK(mtf_set_tensor(mtf, "x", &x) == MTF_OK);
  CHECK(mtf_get_number(mtf, "sum(x)", &sum) == MTF_OK && sum == 21);
  mtf_close(mtf);
  return 0;
}

int records_tell_costs(void) {
  const mtf_counters* counters = NULL;
  const mtf_plan* plan = NULL;
  mtf_interpreter* mtf = opened("p:2", "n:p");
  CHECK(mtf_run(mtf, "dim n = 4\nlet x = ones([n])\nfn step(x) = sum(x * 3)") == MTF_OK);
  CHECK(mtf_mark_counters(mtf) == MTF_OK);
  CHECK(mtf_run(mtf, "step(x)") == MTF_OK);
  CHECK(mtf_get_counters(mtf, &counters) == MTF_OK);
  CHECK(counters->flops == 2 + 1 + 1 || counters->flops == 2 + 1);
  CHECK(counters->processors == 2 && counters->collective_count == 1);
  CHECK(strcmp(counters->collectives[0].kind, "all_reduce") == 0 && counters->collectives[0].axis_count == 1 &&
        strcmp(counters->collectives[0].axes[0], "p") == 0);
  CHECK(counters->collectives[0].values == 1);
  CHECK(mtf_get_plan(mtf, "step(x)", NULL, NULL, &plan) == MTF_OK);
  CHECK(plan->totals.flops == counters->flops && plan->doubt_count == 0 && plan->line_count == 1);
  CHECK(plan->lines[0].line == 3 && plan->lines[0].flops == counters->flops && plan->lines[0].collectives == 1);
  CHECK(strcmp(plan->lines[0].text, "fn step(x) = sum(x * 3)") == 0);
  mtf_free_plan(plan);
  CHECK(mtf_get_plan(mtf, "step(x)", "p:4", "", &plan) == MTF_OK && plan->totals.processors == 4);
  mtf_free_plan(plan);
  CHECK(mtf_get_plan(mtf, "while sum(x) < 9 { x := x + 1 }", NULL, NULL, &plan) == MTF_OK);
  CHECK(plan->doubt_count == 1 && plan->doubts[0].kind == MTF_DOUBT_TURNS && plan->doubts[0].place.line == 1);
  mtf_free_plan(plan);
  CHECK(mtf_get_plan(mtf, "step(x)", "p;4", NULL, &plan) == MTF_WRONG_CALL && plan == NULL);
  mtf_free_counters(counters);
  mtf_close(mtf);
  return 0;
}

int errors_are_records(void) {
  const mtf_diagnostics* found = NULL;
  const mtf_diagnostic* error;
  mtf_interpreter* mtf = opened(NULL, NULL);
  CHECK(mtf_run(mtf, "dim batch = 2\nlet x = ones([bach])") == MTF_WRONG_PROGRAM);
  error = mtf_last_error(mtf);
  CHECK(error != NULL && error->is_error && strcmp(error->kind, "unknown_name") == 0);
  CHECK(error->place.line == 2 && error->place.column == 15 && error->place.end_column == 19);
  CHECK(error->help_count == 1 && strcmp(error->helps[0], "did you mean `batch`?") == 0);
  CHECK(strstr(error->text, "let x = ones([bach])") != NULL);
  CHECK(mtf_run(mtf, "let y = (") == MTF_WRONG_PROGRAM);
  CHECK(strcmp(mtf_last_error(mtf)->place.file, "<2>") == 0);
  CHECK(mtf_check(mtf, "let x = 1\nprint(y)\nprint(z)", &found) == MTF_OK);
  CHECK(found->count == 2 && found->list[1].place.line == 3);
  mtf_free_diagnostics(found);
  CHECK(mtf_check(mtf, "print(1)", &found) == MTF_OK && found->count == 0);
  mtf_free_diagnostics(found);
  CHECK(mtf_run(mtf, "let y = 1") == MTF_OK);
  mtf_close(mtf);
  return 0;
}

int null_pointers_are_refused(void) {
  const mtf_tensor* tensor = NULL;
  const mtf_tensor nothing = {MTF_F32, 0, NULL, 4, NULL};
  const mtf_tensor nameless = {MTF_F32, 1, NULL, 4, "1234"};
  const mtf_dim no_name = {NULL, 1};
  const mtf_tensor of_no_name = {MTF_F32, 1, &no_name, 4, "1234"};
  double number = 0;
  mtf_interpreter* mtf = opened(NULL, NULL);
  CHECK(mtf_open(NULL, NULL) == MTF_WRONG_CALL);
  CHECK(mtf_run(NULL, "") == MTF_WRONG_CALL && mtf_last_error(NULL) == NULL && mtf_interrupt(NULL) == MTF_WRONG_CALL);
  CHECK(mtf_run_file(NULL, "") == MTF_WRONG_CALL && mtf_get_counters(NULL, NULL) == MTF_WRONG_CALL);
  CHECK(mtf_run(mtf, NULL) == MTF_WRONG_CALL);
  CHECK(strcmp(mtf_last_error(mtf)->found, "the text is null") == 0 && mtf_last_error(mtf)->place.line == 0);
  CHECK(mtf_run_file(mtf, NULL) == MTF_WRONG_CALL);
  CHECK(mtf_set_tensor(mtf, "x", NULL) == MTF_WRONG_CALL && mtf_set_tensor(mtf, NULL, &nothing) == MTF_WRONG_CALL);
  CHECK(mtf_set_tensor(mtf, "x", &nothing) == MTF_WRONG_CALL && mtf_set_tensor(mtf, "x", &nameless) == MTF_WRONG_CALL);
  CHECK(mtf_set_tensor(mtf, "x", &of_no_name) == MTF_WRONG_CALL);
  CHECK(mtf_get_tensor(mtf, NULL, &tensor) == MTF_WRONG_CALL && mtf_get_tensor(mtf, "1", NULL) == MTF_WRONG_CALL);
  CHECK(mtf_get_number(mtf, NULL, &number) == MTF_WRONG_CALL && mtf_get_number(mtf, "1", NULL) == MTF_WRONG_CALL);
  CHECK(mtf_get_counters(mtf, NULL) == MTF_WRONG_CALL && mtf_get_plan(mtf, "1", NULL, NULL, NULL) == MTF_WRONG_CALL);
  CHECK(mtf_check(mtf, NULL, NULL) == MTF_WRONG_CALL);
  mtf_free_tensor(NULL);
  mtf_free_counters(NULL);
  mtf_free_plan(NULL);
  mtf_free_diagnostics(NULL);
  mtf_close(NULL);
  mtf_close(mtf);
  return 0;
}

int wrong_tensors_are_refused(void) {
  const float numbers[3] = {1, 2, 3};
  const mtf_dim two = {"n", 2}, three = {"n", 3};
  const mtf_tensor too_long = {MTF_F32, 1, &two, sizeof numbers, numbers};
  const mtf_tensor of_three = {MTF_F32, 1, &three, sizeof numbers, numbers};
  const mtf_tensor of_no_type = {(mtf_element)9, 1, &three, sizeof numbers, numbers};
  const mtf_tensor* x = &too_long;
  double number = 5;
  mtf_interpreter* mtf = opened(NULL, NULL);
  CHECK(mtf_run(mtf, "dim n = 2") == MTF_OK);
  CHECK(mtf_set_tensor(mtf, "x", &too_long) == MTF_WRONG_PROGRAM);
  CHECK(strcmp(mtf_last_error(mtf)->kind, "size_mismatch") == 0);
  CHECK(mtf_set_tensor(mtf, "x", &of_three) == MTF_WRONG_PROGRAM);
  CHECK(strcmp(mtf_last_error(mtf)->kind, "size_conflict") == 0);
  CHECK(mtf_set_tensor(mtf, "x", &of_no_type) == MTF_WRONG_CALL);
  CHECK(mtf_get_tensor(mtf, "x", &x) == MTF_WRONG_PROGRAM && x == NULL);
  CHECK(strcmp(mtf_last_error(mtf)->kind, "unknown_name") == 0);
  CHECK(mtf_get_number(mtf, "ones([n])", &number) == MTF_WRONG_PROGRAM && number == 5);
  mtf_close(mtf);
  return 0;
}

int wrong_options_are_told(void) {
  mtf_options options = {0};
  const mtf_setting lr = {"lr", "0.5"}, nothing = {NULL, NULL};
  double number = 0;
  mtf_interpreter* mtf = NULL;
  options.mesh = "x;4";
  CHECK(mtf_open(&options, &mtf) == MTF_WRONG_CALL && mtf != NULL);
  CHECK(strcmp(mtf_last_error(mtf)->kind, "bad_option_value") == 0);
  CHECK(mtf_run(mtf, "print(1)") == MTF_WRONG_CALL && mtf_interrupt(mtf) == MTF_WRONG_CALL);
  mtf_close(mtf);
  options.mesh = NULL;
  options.set_count = 1;
  options.set = &nothing;
  CHECK(mtf_open(&options, &mtf) == MTF_WRONG_CALL);
  mtf_close(mtf);
  options.set = &lr;
  CHECK(mtf_open(&options, &mtf) == MTF_OK);
  CHECK(mtf_run(mtf, "option lr = 0.1") == MTF_OK && mtf_get_number(mtf, "lr", &number) == MTF_OK && number == 0.5);
  mtf_close(mtf);
  return 0;
}

struct heard {
  char printed[64];
  int warnings;
};

static void hear(const char* text, size_t length, void* context) {
  strncat(((struct heard*)context)->printed, text, length);
}
static void count(const mtf_diagnostic* warning, void* context) {
  ((struct heard*)context)->warnings += warning->is_error ? 100 : 1;
}

int output_and_warnings_are_given(void) {
  struct heard heard = {"", 0};
  mtf_options options = {0};
  mtf_interpreter* mtf = NULL;
  options.output = hear;
  options.warning = count;
  options.context = &heard;
  CHECK(mtf_open(&options, &mtf) == MTF_OK);
  CHECK(mtf_run(mtf, "print(1)\nprint(2)\nmesh m = [p: 2]\nlayout l = {a -> q}") == MTF_OK);
  CHECK(strcmp(heard.printed, "1\n2\n") == 0 && heard.warnings == 1);
  mtf_close(mtf);
  return 0;
}

int code_of_print(void (*output)(const char* text, unsigned long length, void* context), void* context, char* said,
                  unsigned long size) {
  mtf_options options = {0};
  mtf_interpreter* mtf = NULL;
  mtf_code code;
  options.output = output;
  options.context = context;
  mtf_open(&options, &mtf);
  code = mtf_run(mtf, "print(1)");
  said[0] = 0;
  if (mtf_last_error(mtf)) strncat(said, mtf_last_error(mtf)->text, size - 1);
  mtf_close(mtf);
  return (int)code;
}

static void interrupt_it(const char* text, size_t length, void* context) {
  (void)text;
  (void)length;
  mtf_interrupt(*(mtf_interpreter**)context);
}

int an_interrupt_ends_a_run(void) {
  mtf_options options = {0};
  mtf_interpreter* mtf = NULL;
  double number = 0;
  options.output = interrupt_it;
  options.context = &mtf;
  CHECK(mtf_open(&options, &mtf) == MTF_OK);
  CHECK(mtf_run(mtf, "print(1)\nwhile true { }") == MTF_INTERRUPTED);
  CHECK(strcmp(mtf_last_error(mtf)->kind, "interrupted") == 0);
  CHECK(mtf_get_number(mtf, "1 + 1", &number) == MTF_OK && number == 2);
  mtf_close(mtf);
  return 0;
}

int a_file_is_run(const char* path, const char* missing) {
  double number = 0;
  mtf_interpreter* mtf = opened(NULL, NULL);
  CHECK(mtf_run_file(mtf, path) == MTF_OK && mtf_get_number(mtf, "y", &number) == MTF_OK && number == 7);
  CHECK(mtf_run_file(mtf, missing) == MTF_WRONG_FILE && strcmp(mtf_last_error(mtf)->kind, "file_not_found") == 0);
  mtf_close(mtf);
  return 0;
}

int values_go_in_and_come_out(void) {
  const mtf_value items[2] = {{.kind = MTF_INT, .integer = 9007199254740993},
                              {.kind = MTF_TEXT, .text = "a\0b", .text_length = 3}};
  const mtf_value list = {.kind = MTF_LIST, .item_count = 2, .items = items};
  const mtf_value other = {.kind = MTF_OTHER};
  const mtf_value* back = NULL;
  const mtf_names* names = NULL;
  mtf_interpreter* mtf = opened(NULL, NULL);
  CHECK(strcmp(mtf_version(), "0.1.0") == 0);
  CHECK(mtf_set_value(mtf, "all", &list) == MTF_OK);
  CHECK(mtf_run(mtf, "assert all[0] == 9007199254740993") == MTF_OK);
  CHECK(mtf_get_value(mtf, "all + [true, none, (1, 2.5), ones([])]", &back) == MTF_OK);
  CHECK(back->kind == MTF_LIST && back->item_count == 6);
  CHECK(back->items[0].kind == MTF_INT && back->items[0].integer == 9007199254740993);
  CHECK(back->items[1].text_length == 3 && memcmp(back->items[1].text, "a\0b", 4) == 0);
  CHECK(back->items[2].kind == MTF_TRUTH && back->items[2].integer == 1 && back->items[3].kind == MTF_NONE);
  CHECK(back->items[4].kind == MTF_TUPLE && back->items[4].items[1].number == 2.5);
  CHECK(back->items[5].kind == MTF_TENSOR && back->items[5].tensor->dim_count == 0);
  mtf_free_value(back);
  CHECK(mtf_set_value(mtf, "x", &other) == MTF_WRONG_CALL && mtf_set_value(mtf, "x", NULL) == MTF_WRONG_CALL);
  CHECK(mtf_get_names(mtf, &names) == MTF_OK && names->count == 1 && strcmp(names->list[0].name, "all") == 0);
  mtf_free_names(names);
  mtf_close(mtf);
  return 0;
}

static int half(const mtf_value* arguments, size_t count, mtf_value* result, void* context) {
  *(int*)context += 1;
  if (count != 1 || arguments[0].number < 0) {
    result->text = "a negative number";
    return 1;
  }
  result->kind = MTF_FLOAT;
  result->number = arguments[0].number / 2;
  return 0;
}

static void forget(void* context) { *(int*)context = -1; }

int functions_are_called(void) {
  int calls = 0;
  double number = 0;
  mtf_interpreter* mtf = opened(NULL, NULL);
  CHECK(mtf_define(mtf, "half(x: float) -> float", half, &calls, forget) == MTF_OK);
  CHECK(mtf_get_number(mtf, "half(3.0) + half(1)", &number) == MTF_OK && number == 2 && calls == 2);
  CHECK(mtf_run(mtf, "let y = half(-1.0)") == MTF_BUG);
  CHECK(strcmp(mtf_last_error(mtf)->kind, "function_failed") == 0);
  CHECK(strstr(mtf_last_error(mtf)->text, "a negative number") != NULL);
  CHECK(mtf_get_number(mtf, "half(8.0)", &number) == MTF_OK && number == 4);
  mtf_close(mtf);
  mtf = NULL;
  CHECK(calls == -1);
  mtf = opened(NULL, NULL);
  calls = 0;
  CHECK(mtf_define(mtf, "half(", half, &calls, forget) == MTF_WRONG_PROGRAM && calls == -1);
  CHECK(mtf_define(mtf, "half()", NULL, &calls, NULL) == MTF_WRONG_CALL);
  mtf_close(mtf);
  return 0;
}

struct counter {
  float at;
  int begun, ended;
};

static void* begin(void* context) {
  struct counter* counter = context;
  counter->at = 0;
  ++counter->begun;
  return counter;
}

static int next(void* const* tensors, size_t count, void* stream) {
  struct counter* counter = stream;
  float* x = tensors[0];
  if (count != 1) return -1;
  if (counter->at == 3) return 0;
  x[0] = x[1] = ++counter->at;
  return 1;
}

static void end(void* stream) { ++((struct counter*)stream)->ended; }

int streams_are_walked(void) {
  struct counter counter = {0};
  const mtf_dim dims[1] = {{"n", 2}};
  const mtf_tensor x = {MTF_F32, 1, dims, 0, NULL};
  const mtf_stream stream = {begin, next, end};
  double sum = 0;
  mtf_interpreter* mtf = opened(NULL, NULL);
  CHECK(mtf_define_stream(mtf, "train", &x, 1, &stream, &counter, NULL) == MTF_OK);
  CHECK(mtf_run(mtf, "let total = 0.0\nfor epoch in 0..2 { for x in train() { total := total + float(sum(x)) } }") ==
        MTF_OK);
  CHECK(mtf_get_number(mtf, "total", &sum) == MTF_OK && sum == 24);
  CHECK(mtf_define_stream(mtf, "none", &x, 1, NULL, NULL, NULL) == MTF_WRONG_CALL);
  mtf_close(mtf);
  mtf = NULL;
  CHECK(counter.begun == 2 && counter.ended == 2);
  return 0;
}

int calls_are_prepared(void) {
  const char* inputs[1] = {"x"};
  float numbers[2] = {1, 2};
  const mtf_dim dims[1] = {{"n", 2}};
  const mtf_tensor x = {MTF_F32, 1, dims, sizeof numbers, numbers};
  const mtf_value argument = {.kind = MTF_TENSOR, .tensor = &x};
  const mtf_value* result = NULL;
  mtf_prepared* step = NULL;
  mtf_interpreter* mtf = opened("p:2", "n:p");
  CHECK(mtf_run(mtf, "dim n = 2\nlet w = zeros([n])") == MTF_OK);
  CHECK(mtf_prepare(mtf, "sum(w + y)", inputs, 1, &step) == MTF_WRONG_PROGRAM && step == NULL);
  CHECK(mtf_prepare(mtf, "sum(w + x)", inputs, 1, &step) == MTF_OK);
  for (numbers[0] = 1; numbers[0] < 4; ++numbers[0]) {
    CHECK(mtf_call(step, &argument, 1, &result) == MTF_OK && result->kind == MTF_TENSOR);
    CHECK(((const float*)result->tensor->data)[0] == numbers[0] + 2);
    mtf_free_value(result);
  }
  CHECK(mtf_call(step, NULL, 0, &result) == MTF_WRONG_PROGRAM && result == NULL);
  CHECK(mtf_call(NULL, NULL, 0, &result) == MTF_WRONG_CALL);
  mtf_close(mtf);
  mtf_free_prepared(step);
  return 0;
}

static void add_flops(const mtf_plan* report, void* context) {
  if (mtf_plan_json(report) != NULL) *(int64_t*)context += report->totals.flops;
}

int statements_are_reported(void) {
  mtf_interpreter* mtf = NULL;
  int64_t flops = 0;
  mtf_options options = {0};
  options.struct_size = sizeof options;
  options.report = add_flops;
  options.context = &flops;
  CHECK(mtf_open(&options, &mtf) == MTF_OK);
  CHECK(mtf_run(mtf, "dim n = 4\nlet x = ones([n]) * 2") == MTF_OK && flops == 4);
  CHECK(mtf_run(mtf, "let y = x + 1") == MTF_OK && flops == 8);
  mtf_close(mtf);
  return 0;
}

int options_have_a_size(void) {
  mtf_options options = {0};
  mtf_interpreter* mtf = NULL;
  options.struct_size = sizeof options;
  CHECK(mtf_open(&options, &mtf) == MTF_OK);
  mtf_close(mtf);
  options.struct_size = sizeof options + 8;
  CHECK(mtf_open(&options, &mtf) == MTF_WRONG_CALL);
  mtf_close(mtf);
  return 0;
}
