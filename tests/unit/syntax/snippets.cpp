#include "snippets.h"

namespace mtf::test {

const std::vector<std::string>& snippets() {
  static const std::vector<std::string> kSnippets = {
      R"mtf(## Two fully-connected layers learn the identity function (the Mesh-TensorFlow repository's toy model).
## Prints the same losses, to four digits, under every mesh and layout.
mesh   grid  = [rows: 2, cols: 2]
layout dp_mp = {batch -> rows, hidden -> cols}

dim batch = 64, io = 32, hidden = 128
option steps = 200

model TwoLayer {
  param w:    [io, hidden] = init.normal(stddev: 0.1)
  param bias: [hidden]     = 0
  param v:    [hidden, io] = init.normal(stddev: 0.1)

  fn call(x: [batch, io]) -> [batch, io] {
    let h = relu(einsum(x, w -> [batch, hidden]) + bias)
    return einsum(h, v -> [batch, io])
  }
}

seed 1
let net = TwoLayer()
for step in 0..steps {
  let x     = random.uniform([batch, io])
  let loss  = mean(square(net(x) - x))
  let grads = grad(loss, net.params)
  for (p, g) in zip(net.params, grads) { p := p - 0.5 * g }
  if step % 50 == 0 { print("step {step}: loss {loss:.4f}") }
}
let x    = random.uniform([batch, io])
let loss = mean(square(net(x) - x))
print("final loss {loss:.4f}")
assert loss < 0.05, "the loss went down"
)mtf",
      R"mtf(## Small sums whose answers are known, the same under every layout of two, four or six processors, even and uneven.
dim a = 2, b = 3, c = 4
let x = tensor([[1, 2, 3], [4, 5, 6]], [a, b])
let y = tensor([[1, 0, 2, 0], [0, 1, 0, 2], [1, 1, 1, 1]], [b, c])

let z = einsum(x, y -> [a, c])
print(z)                                     # [[4, 5, 5, 7], [10, 11, 14, 16]]
assert all(z == tensor([[4, 5, 5, 7], [10, 11, 14, 16]], [a, c]))
assert sum(x) == 21
assert all(sum(x, over: a) == tensor([5, 7, 9], [b]))
assert all(max(x -> [a]) == tensor([3, 6], [a]))
assert einsum(x, x -> []) == 91
assert all(einsum(x, y -> [c]) == tensor([14, 16, 19, 23], [c]))
assert sum(einsum(x, y -> [a, b, c])) == 72   # an outer product along c: sums to 14 + 16 + 19 + 23

dim b2 = size(b)
let gram = einsum(x, rename(x, b -> b2) -> [b, b2])
assert all(gram == tensor([[17, 22, 27], [22, 29, 36], [27, 36, 45]], [b, b2]))

dim ab = 6
assert all(reshape(x -> [ab]) == tensor([1, 2, 3, 4, 5, 6], [ab]))
assert all(reshape(reshape(x -> [ab]) -> [a, b]) == x)
assert all(cumsum(x, over: b) == tensor([[1, 3, 6], [4, 9, 15]], [a, b]))
assert all(shift(x, b: 1, wrap: false) == tensor([[0, 1, 2], [0, 4, 5]], [a, b]))
assert all(shift(x, b: 1, wrap: true) == tensor([[3, 1, 2], [6, 4, 5]], [a, b]))
assert all(x[b: 1] == tensor([2, 5], [a]))
assert all(argmax(x, over: a) == 1)
assert all(one_hot(tensor([2, 0], [a], i32), b) == tensor([[0, 0, 1], [1, 0, 0]], [a, b]))

let (dx, dy) = grad(sum(square(einsum(x, y -> [a, c]))), [x, y])
assert all(dx == tensor([[28, 38, 42], [76, 86, 102]], [a, b]))
print(dy)
)mtf",
      R"mtf(## The five layouts of section 8 of the Mesh-TensorFlow paper: what the forward and backward pass of
## y = relu(x w + bias) v all-reduces, in values per processor, is what the paper says it is.
dim batch = 64, io = 32, hidden = 128
let b = 64; let d_io = 32; let d_h = 128

mesh all4 = [all: 4]
mesh grid = [rows: 2, cols: 2]
mesh cube = [rows: 2, cols: 2, planes: 2]

layout whole   = {}
layout by_data = {batch -> all}
layout by_unit = {hidden -> all}
layout both    = {batch -> rows, hidden -> cols}
layout three   = {batch -> rows, hidden -> cols, io -> planes}

fn cost_of_one_step() {
  seed 1
  let x    = random.normal([batch, io])
  let dy   = random.normal([batch, io])
  let w    = random.normal([io, hidden])
  let bias = zeros([hidden])
  let v    = random.normal([hidden, io])
  return counters {
    let h = relu(einsum(x, w -> [batch, hidden]) + bias)
    let y = einsum(h, v -> [batch, io])
    let (dx, dw, dbias, dv) = grad(sum(y * dy), [x, w, bias, v])
  }
}

use all4
use whole
let c = cost_of_one_step()
assert c.all_reduce.count == 0, "nothing is split: no communication"
assert c.flops == c.unique_flops, "and every processor does all the work"

use by_data
let c = cost_of_one_step()
print("data parallel:      {c.all_reduce.values}")
assert c.all_reduce.values == 2 * d_io * d_h + d_h, "the gradients of the parameters"

use by_unit
let c = cost_of_one_step()
print("model parallel:     {c.all_reduce.values}")
assert c.all_reduce.values == 2 * b * d_io, "y, and dx"

use grid
use both
let c = cost_of_one_step()
print("data and model:     {c.all_reduce.values}")
assert c.all_reduce.over("cols").values == 2 * b * d_io / 2, "y and dx over cols"
assert c.all_reduce.over("rows").values == (2 * d_io * d_h + d_h) / 2, "dw, dbias and dv over rows"

use cube
use three
let c = cost_of_one_step()
print("three dimensions:   {c.all_reduce.values}")
assert 8 * c.flops < 1.05 * c.unique_flops, "the work is split eight ways"
)mtf",
      R"mtf(## The README example of Mesh TensorFlow: one hidden layer of 1024 units on real MNIST images, trained with SGD.
## 8,000 images to train on, 2,000 to test on.
import data, optim
option images = "data/mnist-t10k-images-idx3-ubyte.gz"
option labels = "data/mnist-t10k-labels-idx1-ubyte.gz"
option epochs = 5
option lr     = 0.3

mesh   grid  = [rows: 2, cols: 2]
layout dp_mp = {batch -> rows, hidden -> cols}
dim batch = 100, row = 28, col = 28, hidden = 1024, classes = 10

model Mnist {
  param w1: [row, col, hidden] = init.normal(stddev: 0.035)
  param b1: [hidden]           = 0
  param w2: [hidden, classes]  = init.normal(stddev: 0.03)
  param b2: [classes]          = 0
  fn call(images: [.., row, col]) -> [.., classes] {
    let h = relu(einsum(images, w1 -> [.., hidden]) + b1)
    return einsum(h, w2 -> [.., classes]) + b2
  }
}

seed 3
let set   = data.idx(images, labels, [row, col])      # u8 pixels, scaled to 0..1; i32 labels
let train = set[0..8000]
let test  = set[8000..10000]
let net   = Mnist()
let opt   = optim.Sgd(net.params, lr: lr)

fn accuracy(set) {
  let right = 0
  for (x, y) in set.batches(batch) { right := right + sum(argmax(net(x), over: classes) == y) }
  return right / len(set)
}

for epoch in 0..epochs {
  for (x, y) in train.batches(batch, shuffle: epoch) {
    let loss = mean(cross_entropy(net(x), y, over: classes))
    opt.minimize(loss)
  }
  print("epoch {epoch + 1}: test accuracy {accuracy(test):.3f}")
}
assert accuracy(test) > 0.94
)mtf",
      R"mtf(# Two fully-connected layers, split over batch and hidden (Mesh-TensorFlow paper, section 8.3).
mesh   grid  = [rows: 2, cols: 2]
layout dp_mp = {batch -> rows, hidden -> cols}

dim batch = 64, io = 32, hidden = 128

model TwoLayer {
  param w:    [io, hidden] = init.normal(stddev: 0.1)
  param bias: [hidden]     = 0
  param v:    [hidden, io] = init.normal(stddev: 0.1)

  fn call(x: [batch, io]) -> [batch, io] {
    let h = relu(einsum(x, w -> [batch, hidden]) + bias)
    return einsum(h, v -> [batch, io])
  }
}

let net = TwoLayer()
for step in 0..200 {
  let x     = random.uniform([batch, io])
  let loss  = mean(square(net(x) - x))
  let grads = grad(loss, net.params)
  for (p, g) in zip(net.params, grads) { p := p - 0.5 * g }
  if step % 50 == 0 { print("step {step}: loss {loss:.4f}") }
}
)mtf",
      R"mtf(let c = counters {
  let y = net(random.uniform([batch, io]))
}
print(c)
assert c.all_reduce.values == size(batch) * size(io) / 2, "one all-reduce of y over cols"
)mtf",
      R"mtf(#: meshes  "" "all:4" "rows:2;cols:3"
#: layouts "" "batch:all" "batch:rows;io:cols"
#: ranks   1 2 4
dim batch = 5, io = 3
print(sum(fill([batch, io], 2)))
#> 30
)mtf",
      R"mtf(#: meshes  "" "all:4" "rows:2;cols:3"
#: layouts "" "batch:all" "batch:rows;io:cols"
#: ranks   1 2 4
dim batch = 5, io = 3
print(sum(fill([batch, io], 2)))
#> 30
)mtf",
      R"mtf(#!/usr/bin/mtf run
#: meshes "" "all:4"
## About
## the file.

## doc of import
import nn, "lib/mine.mtf" as mine
layout dp = {batch -> [rows, cols],
  hidden -> cols}
layout whole = {}
use mine.dp.c
let xx = x @ mine.dp.foo(3)
seed 2 ^ -3; precision bf16
model M(a: dim, n: int = 2, f: fn) {  # trailing
  ## w's doc
  param w: [a, b] @ {.., a -> rows} = init.normal(stddev: 0.1)
  state m: like p = 0
  state v: like net.blocks[3].w = 0
  state q: f32[] @ dp = fn(shape) = zeros(shape)


  let l1 = Dense(a, b)
  fn call(x: i32[.., a], g: list, sd: bool) -> [.., b] {
    if a == b { return x }
    else if not a < b and b > 2 or c != d {
      return -x ^ 2 ^ y
    }
    else { return x[batch: 0..16, rows: 2.., cols: ..3, k: ..] }
    no_grad {
      x := 1  # in it
    }
    # last
  }
}
let (a, (b, c)) = f(x, seed: 3, over: a) ;
let (values, indices) = top_k(x, k, over: experts)
x := e + (1 - 2) - (3) * 4
net.w := net.state.let @ {.., d_model -> rows}
blocks[3].w := x @ dp
let y = rename(x, a -> a2,
  # comment in
  b -> b2)  # comment after
let z = a +
  b
print("a {{x}} \n\t\" {f("in {x:.2f}", a[b: 3]):>10} {x} é\\")
let l = [f(i) for i in 0..10]
let g = fn(x: [.., a], y = 2) -> bool = x + y
let k = map(fn(x: [a]) -> [a] {
  # inside
  let y = x
  return y
}, l)
fn h(x) = x @ {}
assert c, "message"
assert f(x)
let c = counters {
  let y = net(random.uniform([.., io]))
}
counters { print(1) }
while x < 3 {}
print(x)
#> 30
let t = tensor([
  [1, 2],
  [3, 4]
], [a, b], i32)
let e = 1e-6 + 2.5E3 + 10 // 3 % 2
for (p, g) in zip(a, b) { p := p - 0.5 * g }
for i in size(x)..10 * 2 { x := i }
)mtf",
      R"mtf(mesh grid = [rows: 2, cols: 2]
layout dp_mp = {batch -> rows, hidden -> cols}
dim batch = 64, io = 32, hidden = 128
let w = random.normal([io, hidden]); let v = random.normal([hidden, io]);
let x = random.normal([batch, io])
)mtf",
      R"mtf(layout a = {batch -> [rows, cols], b -> [all]})mtf",
      R"mtf(use grid)mtf",
      R"mtf(use [rows: 2, cols: 2 * n]; use {batch -> [rows, cols], b -> rows}; use {}; use [])mtf",
      R"mtf(let y = x @ {experts -> all})mtf",
      R"mtf(let y = x @ {.., d_model -> rows} @ dp)mtf",
      R"mtf(let y = x @ {})mtf",
      R"mtf(model M { param w: [a, b] @ {.., a -> rows} = init.normal })mtf",
      R"mtf(model M { state m: like p = 0; state n: like net.blocks[3].w @ dp = 0 })mtf",
      R"mtf(model M(a: dim, n: int = 2) { let l1 = Dense(a, b); fn call(x) = l1(x) })mtf",
      R"mtf(let m = M(a, n: 3))mtf",
      R"mtf(fn f(x: [.., a], a: dim, b: dim) -> [.., b] { return einsum(x, w -> [.., b]) })mtf",
      R"mtf(fn f(x) = e)mtf",
      R"mtf(let g = fn(x) = e)mtf",
      R"mtf(let g = f(fn(x) { return x }, fn() { }, 2))mtf",
      R"mtf(fn f(x: i32[batch], y: f32[..], z: bool, l: list, s: string, g: fn, m: model, n: int, r: float) = x)mtf",
      R"mtf(import nn, optim)mtf",
      R"mtf(import "lib/mine.mtf" as mine)mtf",
      R"mtf(option lr = 0.1)mtf",
      R"mtf(precision bf16)mtf",
      R"mtf(precision f32)mtf",
      R"mtf(precision mixed)mtf",
      R"mtf(seed 7)mtf",
      R"mtf(no_grad { let y = f(x); z := y })mtf",
      R"mtf(let act = if a { b } else if c { d } else { none })mtf",
      R"mtf(for i in 0..3 { if i == 1 { continue } else { break } })mtf",
      R"mtf(let l: list = [f(i) for (i, j) in l if i != none])mtf",
      R"mtf(setting training = true; with nn.training = false { with layout {a -> rows} { with mesh [rows: 2] { f() } } })mtf",
      R"mtf(with layout dp { with precision mixed { with seed 3 { f() } } })mtf",
      R"mtf(mesh grid = [data: 2, model: 4]; layout l = {heads -> model, d -> [data, model]})mtf",
      R"mtf(net.w := e)mtf",
      R"mtf(for (a, b) in zip(x, y) { print(a, b) })mtf",
      R"mtf(let l = [f(i) for i in 0..10])mtf",
      R"mtf(let c = counters { let y = net(random.uniform([batch, io])) })mtf",
      R"mtf(assert c.all_reduce.values == size(batch) * size(io) / 2, "one all-reduce of y over cols")mtf",
      R"mtf(let r = rename(x, a -> a2, b -> b2))mtf",
      R"mtf(let y = x[batch: 0..16, rows: 2.., cols: ..2, k: ..])mtf",
      R"mtf(let y = concat([a, b], over: batch))mtf",
      R"mtf(let y = concat([a, b], over: [c, c'], as: joined))mtf",
      R"mtf(fn f(x: [.., n, n']) -> [n''] = rename(x, n' -> n'', n -> n')[n': 0, n'': 0..size(n')] @ {.., n' -> rows})mtf",
      R"mtf(layout l = {n -> rows, n' -> [rows, cols]}; let y = slice(x, n': (0, 2), n'': (1, 2)))mtf",
      R"mtf(let y = pad(x, rows: (1, 1)))mtf",
      R"mtf(let y = shift(x, rows: 1, wrap: true))mtf",
      R"mtf(let (values, indices) = top_k(x, k, over: experts))mtf",
      R"mtf(let t = tensor([[1, 2], [3, 4]], [a, b]))mtf",
      R"mtf(let t = tensor([2, 0], [a], i32))mtf",
      R"mtf(let u = random.uniform(shape, low: 0, high: 1))mtf",
      R"mtf(let g = grad(loss, [w, v]))mtf",
      R"mtf(let y = cast(x, bf16))mtf",
      R"mtf(let y = -x ^ 2 ^ -y * (a + b) // c % d - -e)mtf",
      R"mtf(let y = not a and b or not (c == d))mtf",
      R"mtf(let y = 0..size(x) + 1)mtf",
      R"mtf(let s = "{{{x:.4f}}} {f("in {y}", k: 1):>10} {[i for i in 0..3]}")mtf",
      R"mtf(let s = "{counters { let y = 1; print(y) }}")mtf",
      R"mtf(let s = "")mtf",
      R"mtf(if a { print(1) } else if b { print(2) } else { print(3) })mtf",
      R"mtf(while i < 3 { i := i + 1 })mtf",
      R"mtf(let y = c.over("rows", "cols").values + x.use + opt.state.in)mtf",
      R"mtf(f(seed: 3, in: 4, dim: 5))mtf",
      R"mtf(let y = (fn(x) = x)(3))mtf",
      R"mtf(let (a, (b, c)) = d)mtf",
      R"mtf(let y = (x @ dp).foo)mtf",
  };
  return kSnippets;
}

}  // namespace mtf::test
