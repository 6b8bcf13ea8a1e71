/* Embedding mtf in C: an interpreter in another program. mtf/interpreter.h is the same in C++, and says more of each
 * part.
 *
 *   mtf_interpreter* mtf = NULL;
 *   double loss;
 *   if (mtf_open(NULL, &mtf) || mtf_run(mtf, "dim n = 3\nlet x = ones([n])") || mtf_get_number(mtf, "sum(x)", &loss))
 *     fputs(mtf_last_error(mtf)->text, stderr);
 *   mtf_close(mtf);
 *
 * Each function that can fail gives an mtf_code, MTF_OK or what went wrong; mtf_last_error() tells it as a record.
 * Nothing is thrown across these functions, and none ends the process. Interpreters share nothing: a process may have
 * several, each used by one thread at a time (only mtf_interrupt() may be called from any).
 *
 * Memory. What a function is given is the caller's, and is not needed when it has returned, unless it says so. What it
 * gives through a `const T**` is a record of its own, which stays until it is given to mtf_free_T(), also when the
 * interpreter is closed; where a function fails it is NULL. A record's pointers lead into the record. A list of n
 * begins at its pointer; of an empty one that may be NULL. Texts are UTF-8 and end in 0.
 *
 * Linking: `find_package(mtf)`, `target_link_libraries(... mtf::libmtf)`, with a C++ or a C program. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what went wrong ----------------------------------------------------------------------------------------------
 */

/* As the exit status of `mtf`. */
typedef enum mtf_code {
  MTF_OK = 0,
  MTF_WRONG_PROGRAM = 1, /* the program, an expression or a tensor */
  MTF_WRONG_CALL = 2,    /* an option, or a pointer that must not be null */
  MTF_WRONG_FILE = 3,
  MTF_LIMIT = 4, /* of memory, or of the language */
  MTF_BUG = 5,   /* of mtf, or an exception of a function that it was given */
  MTF_INTERRUPTED = 130
} mtf_code;

/* A place in a program: lines and columns count from 1, a column is a code point, the end stands behind the last. */
typedef struct mtf_place {
  const char* file; /* "": nowhere, of what was given from outside */
  size_t line, column, end_line, end_column;
} mtf_place;

/* What is wrong, or doubtful, in a program. */
typedef struct mtf_diagnostic {
  const char* kind;    /* the registered kind, "unknown_name" */
  int is_error;        /* else it is a warning */
  const char* message; /* what is wrong, a sentence of its kind */
  const char* found;   /* and here */
  mtf_place place;
  size_t note_count; /* facts */
  const char* const* notes;
  size_t help_count; /* what to do */
  const char* const* helps;
  const char* text; /* the whole as `mtf` prints it: several lines, the place underlined */
} mtf_diagnostic;

typedef struct mtf_diagnostics {
  size_t count;
  const mtf_diagnostic* list;
} mtf_diagnostics;

/* ---- an interpreter -----------------------------------------------------------------------------------------------
 */

typedef struct mtf_interpreter mtf_interpreter;

/* The value of an option or a dim that a program declares. */
typedef struct mtf_setting {
  const char* name;
  const char* value;
} mtf_setting;

/* As the options of the `mtf` command, texts in its notation. What is NULL or 0 is left to the program. */
typedef struct mtf_options {
  const char* mesh;   /* "rows:2;cols:2" */
  const char* layout; /* "batch:rows;hidden:cols" */
  size_t set_count;
  const mtf_setting* set;
  int threads;                  /* 0: as many as there are cores */
  int on_ranks;                 /* this process is one of several that mpirun has started: mtf/interpreter.h */
  const char* standard_library; /* folder that replaces the standard library, or NULL */
  /* Gets what `print` prints, `length` bytes, a line or more at a time, and `context`; without it standard output does.
   */
  void (*output)(const char* text, size_t length, void* context);
  /* Gets each warning of what is run, which lives as long as the call, and `context`. */
  void (*warning)(const mtf_diagnostic* warning, void* context);
  void* context;    /* stays as long as the interpreter */
  int check_finite; /* a run fails at the first NaN or infinity that an operation makes of finite operands */
} mtf_options;

/* A new interpreter; `options` NULL: all are left to the program. It is the caller's, to be given to mtf_close(), also
 * where the options are wrong: mtf_last_error() tells it then, and nothing else can be done with it. NULL if memory
 * lacks. */
mtf_code mtf_open(const mtf_options* options, mtf_interpreter** interpreter);
/* Ends it; NULL does nothing. */
void mtf_close(mtf_interpreter* interpreter);
/* What went wrong last; NULL if nothing has. It belongs to the interpreter, until the next function that fails. */
const mtf_diagnostic* mtf_last_error(const mtf_interpreter* interpreter);

/* Runs statements one by one, as at the prompt; names that they bind stay. After a failure it is as before the
 * statement that failed. */
mtf_code mtf_run(mtf_interpreter* interpreter, const char* text);
/* Runs a file as one program, which is checked before; its names stay. */
mtf_code mtf_run_file(mtf_interpreter* interpreter, const char* path);
/* Ends what is under way, with MTF_INTERRUPTED; does nothing if nothing is. A signal handler or another thread may call
 * it. It tells nothing to mtf_last_error(). */
mtf_code mtf_interrupt(mtf_interpreter* interpreter);

/* ---- tensors in and out -------------------------------------------------------------------------------------------
 */

/* bool: a byte, 0 or 1; bf16: the upper half of an f32. */
typedef enum mtf_element { MTF_BOOL = 0, MTF_I32 = 1, MTF_BF16 = 2, MTF_F32 = 3, MTF_F64 = 4 } mtf_element;

typedef struct mtf_dim {
  const char* name;
  int64_t size;
} mtf_dim;

/* A whole tensor, row-major, its dims outermost first. */
typedef struct mtf_tensor {
  mtf_element element;
  size_t dim_count;
  const mtf_dim* dims;
  size_t bytes;
  const void* data;
} mtf_tensor;

/* Binds a name to a copy of the tensor, as `let` does; or assigns it, as `:=` does, to a param, a state or whatever a
 * path leads to: "net.w". Dims that the program does not have are declared; one of another size, and another number of
 * bytes than the dims take, is refused. */
mtf_code mtf_set_tensor(mtf_interpreter* interpreter, const char* name, const mtf_tensor* tensor);
/* The value of a name or an expression that is a tensor or a number (f64 without dims). Its data is no copy where the
 * interpreter holds the whole in one block, row-major; no later run writes over it. To be freed, on the interpreter's
 * thread. */
mtf_code mtf_get_tensor(mtf_interpreter* interpreter, const char* expression, const mtf_tensor** tensor);
void mtf_free_tensor(const mtf_tensor* tensor);
/* The value of a name or an expression that is a number, or a tensor without dims. */
mtf_code mtf_get_number(mtf_interpreter* interpreter, const char* expression, double* number);

/* ---- costs --------------------------------------------------------------------------------------------------------
 */

/* Collectives of one kind ("all_reduce") over one group of axes (of names "rows" and "cols"). */
typedef struct mtf_collective {
  const char* kind;
  size_t axis_count;
  const char* const* axes;
  int64_t count; /* before small ones are merged and large ones cut */
  int64_t calls; /* that were made */
  int64_t values, bytes;
  int64_t wire_bytes; /* that the processor sends */
} mtf_collective;

/* What was computed and communicated, or would be: figures of the largest processor. */
typedef struct mtf_counters {
  int64_t flops, unique_flops, processors, peak_bytes;
  size_t collective_count;
  const mtf_collective* collectives;
} mtf_counters;

/* From here on mtf_get_counters() counts anew. */
mtf_code mtf_mark_counters(mtf_interpreter* interpreter);
/* What has been counted since the beginning, or since mtf_mark_counters(). To be freed. */
mtf_code mtf_get_counters(mtf_interpreter* interpreter, const mtf_counters** counters);
void mtf_free_counters(const mtf_counters* counters);

/* What a line of a program costs, its backward pass included. */
typedef struct mtf_line {
  const char* file;
  size_t line;
  const char* text;
  int64_t flops;
  int64_t backward_flops; /* of those */
  int64_t collectives, bytes, wire_bytes;
} mtf_line;

/* Why a plan is an estimate. */
typedef enum mtf_doubt_kind {
  MTF_DOUBT_WAYS = 0,    /* only the run knows which way a condition takes: each is counted */
  MTF_DOUBT_TURNS = 1,   /* only the run knows how many turns a loop has: one is counted */
  MTF_DOUBT_REST = 2,    /* only the run knows whether it ends here: what follows is counted */
  MTF_DOUBT_UNKNOWN = 3, /* only the run knows what an operation works on: it is not counted */
  MTF_DOUBT_SKIPPED = 4  /* not every turn was walked: the others are taken to cost as much */
} mtf_doubt_kind;

typedef struct mtf_doubt {
  mtf_doubt_kind kind;
  mtf_place place;
} mtf_doubt;

typedef struct mtf_plan {
  mtf_counters totals;
  size_t line_count; /* lines that cost something */
  const mtf_line* lines;
  size_t doubt_count; /* 0: the figures are what a run counts; else they are an estimate */
  const mtf_doubt* doubts;
} mtf_plan;

/* What a statement or an expression would cost, on another mesh or in another layout than those in force (NULL: not
 * another). Computes nothing, and changes nothing. To be freed. */
mtf_code mtf_get_plan(mtf_interpreter* interpreter, const char* text, const char* mesh, const char* layout,
                      const mtf_plan** plan);
void mtf_free_plan(const mtf_plan* plan);

/* ---- checks -------------------------------------------------------------------------------------------------------
 */

/* Checks a program that stands alone, without running it: every error and warning, in the order of their places. That
 * it has some is no failure of this function. To be freed. */
mtf_code mtf_check(mtf_interpreter* interpreter, const char* text, const mtf_diagnostics** diagnostics);
void mtf_free_diagnostics(const mtf_diagnostics* diagnostics);

#ifdef __cplusplus
}
#endif
