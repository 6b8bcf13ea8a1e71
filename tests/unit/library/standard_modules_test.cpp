// The standard modules, which call the library, are correct programs.
#include <gtest/gtest.h>

#include "library/library.h"
#include "session/session.h"

namespace mtf::library {
namespace {

std::string checked(const std::string& text) {
  eval::Settings settings;
  settings.library = &host_library();
  return session::Session::check_text("test.mtf", text, settings).render();
}

TEST(StandardModules, AreRight) {
  EXPECT_EQ(
      checked("import nn, transformer, optim, losses, data\n"
              "dim n = 4, f = 8, h = 2, s = 4, u = 16, k = 3, v = 5\n"
              "let t = transformer.Layer(f, n, h, s, u, bias: false)\nlet e = nn.Embedding(v, f)\n"
              "let d = nn.Dense(f, k)\nlet drop = nn.Dropout(0.1)\nlet x = drop(t(e(zeros([n], i32))))\n"
              "let loss = losses.classification(d(x), zeros([n], i32), k)\n"
              "let o = optim.Sgd(t.params + d.params, lr: 0.1, momentum: 0.9, nesterov: true, weight_decay: 0.1)\n"
              "o.minimize(loss)\nlet a = optim.AdamW(e.params)\na.minimize(sum(e.table))\n"),
      "");
}

}  // namespace
}  // namespace mtf::library
