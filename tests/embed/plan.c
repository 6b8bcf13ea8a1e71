/* plan FILE: prints what a program would cost, as `mtf plan FILE --json` does. */
#include <mtf/mtf.h>
#include <stdio.h>

int main(int count, char** words) {
  mtf_interpreter* mtf = NULL;
  const mtf_plan* plan = NULL;
  mtf_code code = count == 2 ? mtf_open(NULL, &mtf) : MTF_WRONG_CALL;
  if (code == MTF_OK) code = mtf_get_plan_of_file(mtf, words[1], NULL, NULL, NULL, &plan);
  if (code == MTF_OK) fputs(mtf_plan_json(plan), stdout);
  else if (mtf != NULL && mtf_last_error(mtf) != NULL) fputs(mtf_last_error(mtf)->text, stderr);
  mtf_free_plan(plan);
  mtf_close(mtf);
  return (int)code;
}
