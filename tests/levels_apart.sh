#!/usr/bin/env bash
# levels_apart.sh BUILD: no instruction of a level of kernels can run before that level is chosen. Each level's object
# has one global symbol, its table, and no constructor; everything else in BUILD keeps to the baseline of x86-64.
set -u
build=$1 status=0
for object in "$build"/level/*.o; do
  symbol=mtf_kernels_$(basename "$object" .o)
  others=$(nm --defined-only --extern-only "$object" | awk '{print $3}' | grep -vx "$symbol")
  [ -z "$others" ] || { echo "$object has other global symbols than $symbol:"; head -n 5 <<<"$others"; status=1; }
  # A constructor would run when the program starts, on any processor.
  if objdump -h "$object" | grep -qE '\.(init_array|ctors)'; then
    echo "$object has constructors:"
    nm -C "$object" | grep -E '_GLOBAL__sub_I|__static_initialization' | head -n 5
    status=1
  fi
done
[ "$(uname -m)" = x86_64 ] || exit $status
beyond='\s(v[a-z][a-z0-9]* .*%[xyz]mm|(pshufb|palignr|phadd[wd]|pmulld|pmuldq|p(min|max)(s[bd]|u[dw])|pextr[bdq]|pinsr[bdq]|pmov[sz]x[bwdq]+|p?blendv(b|ps|pd)|round[ps][sd]|ptest|pcmp(eq|gt)q|haddp[sd]|movddup|lddqu|popcnt|crc32|andn|bextr|blsi|blsr|mulx|pdep|pext|rorx|sarx|shlx|shrx|lzcnt|movbe)[lqw]? )'
# Levels stand among a library's objects where it is made for others: in libmtf.a.
for library in "$build"/libmtf_*.a; do
  found=$(objdump -d --no-show-raw-insn "$library" | awk '/>:$/{name=$2} {print name, $0}' | grep -m 3 -E "$beyond")
  [ -z "$found" ] || { echo "$library has instructions beyond the baseline of x86-64:"; echo "$found"; status=1; }
done
exit $status
