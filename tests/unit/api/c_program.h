/* Parts of a program in C99 that embeds mtf. Each gives the line of the first thing that is not as it should be, or 0.
 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

int tensors_go_in_and_come_out(void);
int records_tell_costs(void);
int errors_are_records(void);
int null_pointers_are_refused(void);
int wrong_tensors_are_refused(void);
int wrong_options_are_told(void);
int output_and_warnings_are_given(void);
/* An output of the caller's that `print(1)` calls; gives the code of running that. */
int code_of_print(void (*output)(const char* text, unsigned long length, void* context), void* context, char* said,
                  unsigned long size);
/* Runs a text that never ends, whose print ends it. */
int an_interrupt_ends_a_run(void);
int values_go_in_and_come_out(void);
int functions_are_called(void);
int streams_are_walked(void);
int calls_are_prepared(void);
int options_have_a_size(void);
int statements_are_reported(void);
int a_file_is_run(const char* path, const char* missing);

#ifdef __cplusplus
}
#endif
