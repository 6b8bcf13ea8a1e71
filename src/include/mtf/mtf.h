/* Embeds mtf in a C program. mtf/interpreter.h offers the same in C++, and documents each part in more detail.
 *
 *   mtf_interpreter* mtf = NULL;
 *   double loss;
 *   if (mtf_open(NULL, &mtf) || mtf_run(mtf, "dim n = 3\nlet x = ones([n])") || mtf_get_number(mtf, "sum(x)", &loss))
 *     fputs(mtf_last_error(mtf)->text, stderr);
 *   mtf_close(mtf);
 *
 * Each function that can fail returns an mtf_code: MTF_OK, or the kind of the error. mtf_last_error() returns the error
 * as a record. No function throws, and none ends the process. Interpreters share nothing. A process may have several,
 * each used by one thread at a time. Only mtf_interrupt() may be called from any thread.
 *
 * Memory. The caller owns all arguments. They are not needed after the call, unless the function's comment says so.
 * A result through a `const T**` is a record that the caller frees with mtf_free_T(). The record outlives the
 * interpreter. If the function fails, the result is NULL. A record's pointers lead into the record. A list of n
 * elements begins at its pointer, which may be NULL if n is 0. Texts are UTF-8 and end in 0.
 *
 * Linking: `find_package(mtf)`, `target_link_libraries(... mtf::libmtf)`, with a C++ or a C program. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library, "0.1.0". */
const char* mtf_version(void);

/* ---- what went wrong --------------------------------------------------------------------------------------------- */

/* The values are those of the exit status of `mtf`. */
typedef enum mtf_code {
  MTF_OK = 0,
  MTF_WRONG_PROGRAM = 1, /* an error in the program, an expression or a tensor */
  MTF_WRONG_CALL = 2,    /* a wrong option, or a pointer that must not be null */
  MTF_WRONG_FILE = 3,
  MTF_LIMIT = 4, /* a limit of memory or of the language was exceeded */
  MTF_BUG = 5,   /* a bug of mtf, or an exception of the caller's function */
  MTF_INTERRUPTED = 130
} mtf_code;

/* A position in a program. Lines and columns count from 1, a column is a code point, and the end is behind the last
 * character. */
typedef struct mtf_place {
  const char* file; /* "": the text was given from outside and has no position */
  size_t line, column, end_line, end_column;
} mtf_place;

/* The text at `place` is replaced; at an empty place, text is put in. */
typedef struct mtf_edit {
  mtf_place place;
  const char* text;
} mtf_edit;

/* A help that can be carried out: its edits are made all at once. */
typedef struct mtf_fix {
  const char* title;
  size_t edit_count;
  const mtf_edit* edits;
} mtf_fix;

/* An error or a warning about a program. */
typedef struct mtf_diagnostic {
  const char* kind;    /* the registered kind, "unknown_name" */
  int is_error;        /* 0: a warning */
  const char* message; /* the general message of this kind, a sentence */
  const char* found;   /* the message about this position */
  mtf_place place;
  size_t note_count; /* facts */
  const char* const* notes;
  size_t help_count; /* suggested remedies */
  const char* const* helps;
  const char* text; /* the diagnostic as `mtf` prints it: several lines, the position underlined */
  size_t fix_count;
  const mtf_fix* fixes;
} mtf_diagnostic;

typedef struct mtf_diagnostics {
  size_t count;
  const mtf_diagnostic* list;
} mtf_diagnostics;

/* ---- an interpreter ---------------------------------------------------------------------------------------------- */

typedef struct mtf_interpreter mtf_interpreter;

/* The value of an option or a dim that a program declares. */
typedef struct mtf_setting {
  const char* name;
  const char* value;
} mtf_setting;

/* The options of the `mtf` command, in its notation. NULL or 0 leaves the choice to the program. */
typedef struct mtf_progress {
  const char* variable; /* of a loop: "step", or "while" */
  int64_t done;         /* iterations that have ended */
  int64_t count;        /* of all; 0: unknown */
  double seconds;       /* since the loop began */
} mtf_progress;

struct mtf_plan; /* costs: see mtf_get_plan() */

typedef struct mtf_options {
  size_t struct_size; /* sizeof(mtf_options): later versions may add members at the end. 0: those of version 0.1 */
  const char* mesh;   /* "rows:2;cols:2" */
  const char* layout; /* "batch:rows;hidden:cols" */
  size_t set_count;
  const mtf_setting* set;
  int threads;                  /* 0: one for each core */
  int on_ranks;                 /* mpirun started this process as one of several: see mtf/interpreter.h */
  const char* standard_library; /* folder that replaces the standard library, or NULL */
  /* Receives the output of `print` (`length` bytes, one or more lines at a time) and `context`. If NULL, the output
   * goes to standard output. */
  void (*output)(const char* text, size_t length, void* context);
  /* Receives each warning of a run and `context`. The warning is valid only during the call. */
  void (*warning)(const mtf_diagnostic* warning, void* context);
  void* context;    /* stays as long as the interpreter */
  int check_finite; /* a run fails at the first NaN or infinity that an operation makes of finite operands */
  int64_t memory;   /* bytes that each processor may use for a program and its inputs; 0: no limit */
  /* Receives the loops under way that compute, the outermost first, at the beginning of each iteration. */
  void (*progress)(const mtf_progress* loops, size_t count, void* context);
  /* Receives after each statement of a run what it computed and communicated, in the form of a plan that is valid only
   * during the call, and `context`. */
  void (*report)(const struct mtf_plan* report, void* context);
  int remat; /* values are computed again where a program would need more than `memory` */
} mtf_options;

/* Opens an interpreter. If `options` is NULL, the program chooses them all. The caller owns the interpreter and closes
 * it with mtf_close(), also if the options are wrong. In that case only mtf_last_error() and mtf_close() may be called.
 * `*interpreter` is NULL if there is no memory for it. */
mtf_code mtf_open(const mtf_options* options, mtf_interpreter** interpreter);
/* Closes an interpreter. Does nothing for NULL. */
void mtf_close(mtf_interpreter* interpreter);
/* The last error, or NULL. The interpreter owns it, and it is valid until the next function that fails. */
const mtf_diagnostic* mtf_last_error(const mtf_interpreter* interpreter);

/* Runs statements one by one, as at the prompt. The names that they bind stay. On an error restores the state before
 * the failed statement. */
mtf_code mtf_run(mtf_interpreter* interpreter, const char* text);
/* Checks a file, and runs it as one program. Its names stay. */
mtf_code mtf_run_file(mtf_interpreter* interpreter, const char* path);
/* Ends the current run with MTF_INTERRUPTED. Does nothing if nothing runs. A signal handler or another thread may call
 * it. It does not change mtf_last_error(). */
mtf_code mtf_interrupt(mtf_interpreter* interpreter);

/* ---- tensors in and out ------------------------------------------------------------------------------------------ */

/* The element type of a tensor. A bool is one byte, 0 or 1. A bf16 is the upper half of an f32. */
typedef enum mtf_element { MTF_BOOL = 0, MTF_I32 = 1, MTF_BF16 = 2, MTF_F32 = 3, MTF_F64 = 4 } mtf_element;

typedef struct mtf_dim {
  const char* name;
  int64_t size;
} mtf_dim;

/* A gathered tensor: row-major, the first dim is the outermost. */
typedef struct mtf_tensor {
  mtf_element element;
  size_t dim_count;
  const mtf_dim* dims;
  size_t bytes;
  const void* data;
} mtf_tensor;

/* Binds a name to a copy of the tensor, as `let` does. Or assigns the tensor, as `:=` does, to a param, a state or the
 * target of a path ("net.w"). Declares dims that the program lacks. Fails if a dim has another size, or if the number
 * of bytes does not fit the dims. */
mtf_code mtf_set_tensor(mtf_interpreter* interpreter, const char* name, const mtf_tensor* tensor);
/* The value of a name or an expression: a tensor, or a number (returned as f64 without dims). The data is not copied if
 * the interpreter holds the whole tensor in one row-major block. No later run overwrites the data. The caller frees the
 * tensor on the interpreter's thread. */
mtf_code mtf_get_tensor(mtf_interpreter* interpreter, const char* expression, const mtf_tensor** tensor);
void mtf_free_tensor(const mtf_tensor* tensor);
/* The value of a name or an expression: a number, or a tensor without dims. */
mtf_code mtf_get_number(mtf_interpreter* interpreter, const char* expression, double* number);

/* ---- values of any kind ------------------------------------------------------------------------------------------ */

typedef enum mtf_kind {
  MTF_NONE = 0,
  MTF_TRUTH = 1,  /* a bool: `integer` is 0 or 1 */
  MTF_INT = 2,    /* `integer`, with all its 64 bits */
  MTF_FLOAT = 3,  /* `number` */
  MTF_TEXT = 4,   /* `text`, of `text_length` bytes */
  MTF_LIST = 5,   /* `items` */
  MTF_TUPLE = 6,  /* `items` */
  MTF_TENSOR = 7, /* `tensor` */
  MTF_OTHER = 8   /* a model, a function, a dim, ...: `text` describes it; it cannot go in */
} mtf_kind;

/* Members that the kind does not name are not read. */
typedef struct mtf_value {
  mtf_kind kind;
  int64_t integer;
  double number;
  const char* text;
  size_t text_length;
  size_t item_count;
  const struct mtf_value* items;
  const mtf_tensor* tensor;
} mtf_value;

/* The value of a name or an expression. The caller frees it, on the interpreter's thread. */
mtf_code mtf_get_value(mtf_interpreter* interpreter, const char* expression, const mtf_value** value);
void mtf_free_value(const mtf_value* value);
/* Binds a name to a value, as `let` does. Tensors are copied, and dims that the program lacks are declared. */
mtf_code mtf_set_value(mtf_interpreter* interpreter, const char* name, const mtf_value* value);

/* A name that the program has bound. */
typedef struct mtf_name {
  const char* name;
  const char* type; /* "f32[batch=64]", "a model TwoLayer" */
  int64_t bytes;    /* of a tensor, or of a model's params and states, on the processor that holds most */
} mtf_name;

typedef struct mtf_names {
  size_t count;
  const mtf_name* list;
} mtf_names;

/* The names that the program has bound, in the order in which they were bound. The caller frees them. */
mtf_code mtf_get_names(mtf_interpreter* interpreter, const mtf_names** names);
void mtf_free_names(const mtf_names* names);

/* ---- functions of the host --------------------------------------------------------------------------------------- */

/* A function that scripts call. It gets one value for each parameter, MTF_NONE for one that was left out, valid during
 * the call. It sets `*result`, which is MTF_NONE before. What the result points to must stay valid until the function
 * is called again or `destroy` is called. Returns 0; otherwise the call fails with the result's text, and the run ends.
 */
typedef int (*mtf_function)(const mtf_value* arguments, size_t count, mtf_value* result, void* context);
/* Binds a name to a function. The signature is written as in the reference: "noise(x: tensor, scale: float = 1) ->
 * tensor". A check and a plan do not call it: its result is unknown there, of the kind behind `->`. `destroy` may be
 * NULL; it is called with `context` when no name holds the function any more, also if this call fails. */
mtf_code mtf_define(mtf_interpreter* interpreter, const char* signature, mtf_function function, void* context,
                    void (*destroy)(void* context));

/* A stream of batches. `begin` is called for each loop over it; its result is given to the others. `next` writes the
 * next batch to `tensors`, the memory of each tensor, row-major, and returns 1; 0: there is none; -1: it failed, and
 * the run ends. `end` may be NULL; it is called once for each stream that began. */
typedef struct mtf_stream {
  void* (*begin)(void* context);
  int (*next)(void* const* tensors, size_t count, void* stream);
  void (*end)(void* stream);
} mtf_stream;
/* Binds a name to a function without parameters that returns a stream: `for (x, y) in train() { ... }`. `tensors` are
 * the types of a batch; their data is not read. Declares dims that the program lacks. */
mtf_code mtf_define_stream(mtf_interpreter* interpreter, const char* name, const mtf_tensor* tensors, size_t count,
                           const mtf_stream* stream, void* context, void (*destroy)(void* context));

/* ---- prepared calls ---------------------------------------------------------------------------------------------- */

typedef struct mtf_prepared mtf_prepared;

/* Parses and checks an expression once, for many calls with other arguments. `inputs` are the names in it that stand
 * for them. The caller frees it with mtf_free_prepared(), before or after the interpreter. */
mtf_code mtf_prepare(mtf_interpreter* interpreter, const char* expression, const char* const* inputs, size_t count,
                     mtf_prepared** prepared);
/* Computes it with one argument for each input. An error is the interpreter's. The caller frees the result. */
mtf_code mtf_call(mtf_prepared* prepared, const mtf_value* arguments, size_t count, const mtf_value** result);
void mtf_free_prepared(mtf_prepared* prepared);

/* ---- costs ------------------------------------------------------------------------------------------------------- */

/* Counts the collectives of one kind ("all_reduce") over one group of axes ("rows" and "cols"). */
typedef struct mtf_collective {
  const char* kind;
  size_t axis_count;
  const char* const* axes;
  int64_t count;         /* before small collectives are merged and large ones are cut */
  int64_t calls;         /* calls made, after merging and cutting */
  int64_t values, bytes; /* elements that the collectives operate on, and their bytes */
  int64_t wire_bytes;    /* bytes that the processor sends */
} mtf_collective;

/* Measured or predicted computation and communication: the figures of the processor with the largest ones. */
typedef struct mtf_counters {
  int64_t flops, unique_flops, processors, peak_bytes;
  size_t collective_count;
  const mtf_collective* collectives;
} mtf_counters;

/* Makes mtf_get_counters() count from here on. */
mtf_code mtf_mark_counters(mtf_interpreter* interpreter);
/* The counters since the beginning, or since mtf_mark_counters(). The caller frees them. */
mtf_code mtf_get_counters(mtf_interpreter* interpreter, const mtf_counters** counters);
void mtf_free_counters(const mtf_counters* counters);

/* The cost of a line of a program, its backward pass included. */
typedef struct mtf_line {
  const char* file;
  size_t line;
  const char* text;
  int64_t flops;
  int64_t backward_flops; /* part of `flops` */
  int64_t collectives, bytes, wire_bytes;
} mtf_line;

/* A reason why a plan is an estimate. */
typedef enum mtf_doubt_kind {
  MTF_DOUBT_WAYS = 0,    /* the run decides which branch a condition takes: every branch is counted */
  MTF_DOUBT_TURNS = 1,   /* the run decides how many iterations a loop has: one is counted */
  MTF_DOUBT_REST = 2,    /* the run decides whether the program ends here: the rest is counted */
  MTF_DOUBT_UNKNOWN = 3, /* an operation's operands are known only in the run: it is not counted */
  MTF_DOUBT_SKIPPED = 4  /* only some iterations were walked: the others are assumed to cost as much */
} mtf_doubt_kind;

typedef struct mtf_doubt {
  mtf_doubt_kind kind;
  mtf_place place;
} mtf_doubt;

typedef struct mtf_plan {
  mtf_counters totals;
  size_t line_count; /* lines with a cost */
  const mtf_line* lines;
  size_t doubt_count; /* 0: a run counts exactly these figures; else they are an estimate */
  const mtf_doubt* doubts;
} mtf_plan;

/* Predicts the cost of a statement or an expression with the current values. `mesh` and `layout` replace the current
 * ones (NULL: the current one). Computes nothing, and changes nothing. The caller frees the plan. */
mtf_code mtf_get_plan(mtf_interpreter* interpreter, const char* text, const char* mesh, const char* layout,
                      const mtf_plan** plan);
/* Predicts the cost of a program in a file, as `mtf plan` does, independently of the interpreter's names. The
 * interpreter's options hold for it. `machine` is a file of `mtf calibrate` (NULL: without times). */
mtf_code mtf_get_plan_of_file(mtf_interpreter* interpreter, const char* path, const char* mesh, const char* layout,
                              const char* machine, const mtf_plan** plan);
/* The plan as JSON, with every part of the program: the same text as `mtf plan --json`. It belongs to the plan. NULL if
 * there is no memory for it. The reference lists the fields. */
const char* mtf_plan_json(const mtf_plan* plan);
void mtf_free_plan(const mtf_plan* plan);

/* A collective of a statement, and why it is there. The figures are of one call. */
typedef struct mtf_reason {
  const char* kind; /* "all_reduce" */
  size_t axis_count;
  const char* const* axes;
  const char* result; /* the value that it makes, with its layout */
  const char* reason; /* a sentence */
  size_t rule_count;  /* of the layout in force, that gave its dims their layout: "batch -> rows" */
  const char* const* rules;
  mtf_place place;
  int64_t times; /* how often it is called */
  int64_t values, bytes, wire_bytes;
} mtf_reason;

/* What a statement would cost under a layout. */
typedef struct mtf_layout_cost {
  const char* layout; /* "{batch -> rows}"; "": the present one */
  int64_t flops, wire_bytes, collectives;
  int64_t held_bytes; /* of the interpreter's values, on the processor that holds most */
} mtf_layout_cost;

typedef struct mtf_explanation {
  size_t collective_count;
  const mtf_reason* collectives;
  mtf_layout_cost now;
  size_t better_count; /* layouts under which the statement would send less, the best first */
  const mtf_layout_cost* better;
} mtf_explanation;

/* Tells why a statement communicates, and returns at most `most` better layouts. The caller frees the explanation. */
mtf_code mtf_explain(mtf_interpreter* interpreter, const char* text, const char* mesh, const char* layout, size_t most,
                     const mtf_explanation** explanation);
/* As mtf_plan_json(). */
const char* mtf_explanation_json(const mtf_explanation* explanation);
void mtf_free_explanation(const mtf_explanation* explanation);

/* What a search is for. NULL or 0 is the default. */
typedef struct mtf_search_rules {
  size_t struct_size;
  int64_t processors;
  int axes;            /* the most axes of a mesh, 1 to 4; 0: 2 */
  int stored;          /* also tries how params and states are stored, by rules for their paths */
  int64_t memory;      /* bytes of each processor; 0: no limit */
  const char* layout;  /* rules that are given: "batch:rows" */
  const char* machine; /* a file of `mtf calibrate` */
  void (*progress)(int64_t looked_at, double best, void* context); /* seconds of the best so far; 0: none */
  void* context;
  int most; /* the most answers, with different times; 0: 2. Each that is asked for makes the search longer */
} mtf_search_rules;

typedef struct mtf_found {
  const char* mesh; /* in the notation of a script */
  const char* layout;
  double seconds; /* by the machine model */
  mtf_counters counters;
} mtf_found;

typedef struct mtf_answer {
  size_t count; /* the best first; 0: none fits */
  const mtf_found* list;
} mtf_answer;

/* Finds the meshes and layouts under which a statement takes the least time. mtf_interrupt() ends it. The caller frees
 * the answer. */
mtf_code mtf_search(mtf_interpreter* interpreter, const char* text, const mtf_search_rules* rules,
                    const mtf_answer** answer);
/* As mtf_plan_json(). */
const char* mtf_answer_json(const mtf_answer* answer);
void mtf_free_answer(const mtf_answer* answer);

/* ---- checks ------------------------------------------------------------------------------------------------------ */

/* Checks a program without running it, independently of the names of this interpreter. Returns every error and warning
 * in the order of the text. The function succeeds also if it finds errors. The caller frees the diagnostics. */
mtf_code mtf_check(mtf_interpreter* interpreter, const char* text, const mtf_diagnostics** diagnostics);
/* As mtf_plan_json(): a line for each, as `mtf check --json` writes them. */
const char* mtf_diagnostics_json(const mtf_diagnostics* diagnostics);
void mtf_free_diagnostics(const mtf_diagnostics* diagnostics);

#ifdef __cplusplus
}
#endif
