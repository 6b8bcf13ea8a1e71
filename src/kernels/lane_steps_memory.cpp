// Steps that move tiles: loads, stores, casts, selections, reductions.
#include "kernels/lane_memory.h"

namespace mtf::kernels::lanes {
namespace {

template <class P>
struct GroupOf {
  static constexpr bool kEight = std::is_same_v<P, D>;
  using Step = std::conditional_t<kEight, Step8, Step4>;
  static constexpr int kLanes = kEight ? kD : kF;
};

template <class P, ElementType kType>
void load_memory(MTF_STEP_ARGUMENTS(P)) {
  constexpr std::int64_t kStep = GroupOf<P>::kLanes * size_of(kType);
  const char* p = r->b.base + (i & r->b.mask) * size_of(kType);
  ask_ahead(p, 8 * kStep, r->b.mask);
#define MTF_DO(x, k) x = from_memory<kType, P>(p + k * kStep);
  MTF_EACH_PACKET(MTF_DO)
#undef MTF_DO
  MTF_NEXT(typename GroupOf<P>::Step);
}
template <class P, ElementType kType>
void store_memory(MTF_STEP_ARGUMENTS(P)) {
  constexpr std::int64_t kStep = GroupOf<P>::kLanes * size_of(kType);
  char* p = r->b.base + (i & r->b.mask) * size_of(kType);
#define MTF_DO(x, k) to_memory<kType, P>(p + k * kStep, x);
  MTF_EACH_PACKET(MTF_DO)
#undef MTF_DO
  MTF_NEXT(typename GroupOf<P>::Step);
}
template <class P>
void load_iota(MTF_STEP_ARGUMENTS(P)) {
  const auto first = static_cast<std::uint32_t>(reinterpret_cast<std::intptr_t>(r->b.base));
  const auto stride = static_cast<std::uint32_t>(r->b.mask);
  U lane;
  for (int k = 0; k < kF; ++k) lane[k] = static_cast<std::uint32_t>(k);
  const std::uint32_t at = static_cast<std::uint32_t>(i);
  if constexpr (GroupOf<P>::kEight) {
#define MTF_DO(x, y, k) widen((I)((lane + (at + k * kD)) * stride + first), x, y);
    MTF_EACH_PAIR(MTF_DO)
#undef MTF_DO
  } else {
#define MTF_DO(x, k) x = (P)((lane + (at + k * kF)) * stride + first);
    MTF_EACH_PACKET(MTF_DO)
#undef MTF_DO
  }
  MTF_NEXT(typename GroupOf<P>::Step);
}
template <class P, int kPosition>
void where(MTF_STEP_ARGUMENTS(P)) {
  const auto* b = address<P>(r->b, i);
  const auto* c = address<P>(r->c, i);
#define MTF_DO(x, k)                                           \
  {                                                            \
    const P y = load<P>(b, k), z = load<P>(c, k);              \
    if constexpr (kPosition == 0) x = choose<P>(x, y, z);      \
    else if constexpr (kPosition == 1) x = choose<P>(y, x, z); \
    else x = choose<P>(y, z, x);                               \
  }
  MTF_EACH_PACKET(MTF_DO)
#undef MTF_DO
  MTF_NEXT(typename GroupOf<P>::Step);
}
template <class P>
void round_to_bf16(MTF_STEP_ARGUMENTS(P)) {
  if constexpr (GroupOf<P>::kEight) {
#define MTF_DO(x, y, k) widen((I)round_bf16((F)narrow(x, y)), x, y);
    MTF_EACH_PAIR(MTF_DO)
#undef MTF_DO
  } else {
#define MTF_DO(x, k) x = round_bf16(x);
    MTF_EACH_PACKET(MTF_DO)
#undef MTF_DO
  }
  MTF_NEXT(typename GroupOf<P>::Step);
}
template <class P>
void end(const Record*, const State*, std::int64_t, P, P, P, P, P, P, P, P) {}

// ---- casts ----------------------------------------------------------------------------------------------------------

constexpr ElementType kB = ElementType::kBool, kI = ElementType::kI32, kS = ElementType::kF32, kW = ElementType::kF64;

template <ElementType kFrom, ElementType kTo>
inline I convert4(I x) {
  if constexpr (kFrom == kTo) return x;
  if constexpr (kFrom == kB && kTo == kI) return x & 1;
  if constexpr (kFrom == kB && kTo == kS) return x & (I)splat<F>(1.0f);
  if constexpr (kFrom == kI && kTo == kB) return x != 0;
  if constexpr (kFrom == kI && kTo == kS) return I(__builtin_convertvector(x, F));
  if constexpr (kFrom == kS && kTo == kB) return (F)x != 0.0f;
  if constexpr (kFrom == kS && kTo == kI) return to_int((F)x);
}
template <ElementType kFrom, ElementType kTo>
inline D convert8(D x) {
  if constexpr (kFrom == kW && kTo == kB) return (D)(x != 0.0);
  if constexpr (kFrom == kW && kTo == kS) { return D(widened<L>(HalfI(__builtin_convertvector(x, HalfF)))); }
  if constexpr (kFrom == kW && kTo == kI) {
    const D low = select<D>(x < -2147483648.0, splat<D>(-2147483648.0), x);
    const D both = select<D>(low > 2147483647.0, splat<D>(2147483647.0), low);
    return D(__builtin_convertvector(select<D>(x == x, both, D{}), L));
  }
  if constexpr (kFrom == kB && kTo == kW) return (D)((L)x & (L)splat<D>(1.0));
  if constexpr (kFrom == kI && kTo == kW) return __builtin_convertvector((L)x, D);
  if constexpr (kFrom == kS && kTo == kW) { return widened<D>(HalfF(__builtin_convertvector((L)x, HalfI))); }
  return x;
}
template <class P, ElementType kFrom, ElementType kTo>
void convert(MTF_STEP_ARGUMENTS(P)) {
  if constexpr (!GroupOf<P>::kEight) {
#define MTF_DO(x, k) x = (P)convert4<kFrom, kTo>((I)x);
    MTF_EACH_PACKET(MTF_DO)
#undef MTF_DO
  } else if constexpr (kFrom == kW || kTo == kW) {
#define MTF_DO(x, k) x = convert8<kFrom, kTo>(x);
    MTF_EACH_PACKET(MTF_DO)
#undef MTF_DO
  } else {
#define MTF_DO(x, y, k) widen(convert4<kFrom, kTo>(narrow(x, y)), x, y);
    MTF_EACH_PAIR(MTF_DO)
#undef MTF_DO
  }
  MTF_NEXT(typename GroupOf<P>::Step);
}

// ---- reductions -----------------------------------------------------------------------------------------------------

/// kCount: the tile holds masks, which are counted.
template <class T, Reduction kHow, bool kCount>
void reduce(MTF_STEP_ARGUMENTS(typename T::Packet)) {
  using V = typename T::Value;
  using P = typename T::Packet;
  auto* slot = const_cast<Scalar<P>*>(address<P>(r->b, i));
  constexpr int kLanes = kBytes / sizeof(Scalar<V>);
  constexpr int kStripLanes = (T::kWide || std::is_same_v<V, D>) ? kStrip8 : kStrip4;
  auto term = [](V v) {
    if constexpr (kCount) return (V)(-(I)v);
    else return v;
  };
  if (__builtin_expect(s->valid == kStripLanes, 1)) {
    if constexpr (T::kWide) {
#define MTF_DO(x, y, k)                                                                                           \
  {                                                                                                               \
    P low, high;                                                                                                  \
    widen((I)join<kHow, V>((V)narrow(load<P>(slot, k), load<P>(slot, k + 1)), term((V)narrow(x, y))), low, high); \
    store(slot, k, low);                                                                                          \
    store(slot, k + 1, high);                                                                                     \
  }
      MTF_EACH_PAIR(MTF_DO)
#undef MTF_DO
    } else {
#define MTF_DO(x, k) store(slot, k, join<kHow, V>(load<V>(slot, k), term((V)x)));
      MTF_EACH_PACKET(MTF_DO)
#undef MTF_DO
    }
  } else {
    const auto valid = static_cast<std::int32_t>(s->valid);
    Mask<V> lane;
    for (int k = 0; k < kLanes; ++k) lane[k] = k;
    if constexpr (T::kWide) {
#define MTF_DO(x, y, k)                                                                                    \
  {                                                                                                        \
    P low, high;                                                                                           \
    const V old = (V)narrow(load<P>(slot, k), load<P>(slot, k + 1));                                       \
    widen((I)select<V>(lane < valid - k * kD, join<kHow, V>(old, term((V)narrow(x, y))), old), low, high); \
    store(slot, k, low);                                                                                   \
    store(slot, k + 1, high);                                                                              \
  }
      MTF_EACH_PAIR(MTF_DO)
#undef MTF_DO
    } else {
#define MTF_DO(x, k)                                                                           \
  {                                                                                            \
    const V old = load<V>(slot, k);                                                            \
    store(slot, k, select<V>(lane < valid - k * kLanes, join<kHow, V>(old, term((V)x)), old)); \
  }
      MTF_EACH_PACKET(MTF_DO)
#undef MTF_DO
    }
  }
  MTF_NEXT(typename T::Step);
}
template <class T>
AnyStep number_reduce(Reduction how) {
  switch (how) {
    case Reduction::kSum: return reinterpret_cast<AnyStep>(&reduce<T, Reduction::kSum, false>);
    case Reduction::kProd: return reinterpret_cast<AnyStep>(&reduce<T, Reduction::kProd, false>);
    case Reduction::kMax: return reinterpret_cast<AnyStep>(&reduce<T, Reduction::kMax, false>);
    case Reduction::kMin: return reinterpret_cast<AnyStep>(&reduce<T, Reduction::kMin, false>);
    default: return nullptr;
  }
}
template <class T>
AnyStep truth_reduce(Reduction how) {
  switch (how) {
    case Reduction::kSum: return reinterpret_cast<AnyStep>(&reduce<T, Reduction::kSum, true>);
    case Reduction::kAnd: return reinterpret_cast<AnyStep>(&reduce<T, Reduction::kAnd, false>);
    case Reduction::kOr: return reinterpret_cast<AnyStep>(&reduce<T, Reduction::kOr, false>);
    default: return nullptr;
  }
}
template <class P, ElementType kFrom>
AnyStep cast_from(ElementType to) {
  switch (to) {
    case kB: return reinterpret_cast<AnyStep>(&convert<P, kFrom, kB>);
    case kI: return reinterpret_cast<AnyStep>(&convert<P, kFrom, kI>);
    case ElementType::kBf16:
    case kS: return reinterpret_cast<AnyStep>(&convert<P, kFrom, kS>);
    case kW:
      if constexpr (GroupOf<P>::kEight) return reinterpret_cast<AnyStep>(&convert<P, kFrom, kW>);
  }
  return nullptr;
}
template <class P>
AnyStep cast_in(ElementType from, ElementType to) {
  switch (from) {
    case kB: return cast_from<P, kB>(to);
    case kI: return cast_from<P, kI>(to);
    case ElementType::kBf16:
    case kS: return cast_from<P, kS>(to);
    case kW:
      if constexpr (GroupOf<P>::kEight) return cast_from<P, kW>(to);
  }
  return nullptr;
}
template <class P, template <class, ElementType> class Make>
AnyStep by_type(ElementType type) {
  switch (type) {
    case kB: return Make<P, kB>::get();
    case kI: return Make<P, kI>::get();
    case ElementType::kBf16: return Make<P, ElementType::kBf16>::get();
    case kS: return Make<P, kS>::get();
    case kW:
      if constexpr (GroupOf<P>::kEight) return Make<P, kW>::get();
  }
  return nullptr;
}
template <class P, ElementType kType>
struct MakeLoad {
  static AnyStep get() { return reinterpret_cast<AnyStep>(&load_memory<P, kType>); }
};
template <class P, ElementType kType>
struct MakeStore {
  static AnyStep get() { return reinterpret_cast<AnyStep>(&store_memory<P, kType>); }
};
#define MTF_BY_GROUP(function) \
  (group == Group::kFour ? reinterpret_cast<AnyStep>(&function<F>) : reinterpret_cast<AnyStep>(&function<D>))

}  // namespace

AnyStep load_step(Group group, ElementType type) {
  return group == Group::kFour ? by_type<F, MakeLoad>(type) : by_type<D, MakeLoad>(type);
}
AnyStep store_step(Group group, ElementType type) {
  return group == Group::kFour ? by_type<F, MakeStore>(type) : by_type<D, MakeStore>(type);
}
AnyStep load_slot_step(Group group) { return load_step(group, group == Group::kFour ? kS : kW); }
AnyStep store_slot_step(Group group) { return store_step(group, group == Group::kFour ? kS : kW); }
AnyStep iota_step(Group group) { return MTF_BY_GROUP(load_iota); }
AnyStep round_bf16_step(Group group) { return MTF_BY_GROUP(round_to_bf16); }
AnyStep end_step(Group group) { return MTF_BY_GROUP(end); }
AnyStep where_step(Group group, int position) {
  const bool four = group == Group::kFour;
  if (position == 0) return four ? reinterpret_cast<AnyStep>(&where<F, 0>) : reinterpret_cast<AnyStep>(&where<D, 0>);
  if (position == 1) return four ? reinterpret_cast<AnyStep>(&where<F, 1>) : reinterpret_cast<AnyStep>(&where<D, 1>);
  return four ? reinterpret_cast<AnyStep>(&where<F, 2>) : reinterpret_cast<AnyStep>(&where<D, 2>);
}
AnyStep cast_step(Group group, ElementType from, ElementType to) {
  return group == Group::kFour ? cast_in<F>(from, to) : cast_in<D>(from, to);
}
AnyStep reduce_step(Group group, Reduction reduction, ElementType type) {
  const bool four = group == Group::kFour;
  switch (type) {
    case kB: return four ? truth_reduce<I4>(reduction) : truth_reduce<I8>(reduction);
    case kI: return four ? number_reduce<I4>(reduction) : number_reduce<I8>(reduction);
    case ElementType::kBf16:
    case kS: return four ? number_reduce<F4>(reduction) : number_reduce<F8>(reduction);
    case kW: return four ? nullptr : number_reduce<D8>(reduction);
  }
  return nullptr;
}

}  // namespace mtf::kernels::lanes
