# upper_halves.awk - of `objdump -d`: the functions that can return, or jump to another function, with
# the upper halves of vectors in use.  Code on 16-byte vectors runs slower then (simd.h).
/^[0-9a-f]+ <.*>:$/ { name = $2; gsub(/^<|>:$/, "", name); wide = 0 }
/%[yz]mm/ { wide = 1; seen++ }
/vzeroupper/ { wide = 0 }
/\tret/ || /\tjmp +\*/ || (/\tjmp / && $NF !~ /\+0x/ && $NF != "<" name ">") {
  if (wide) print name
  wide = 0
}
END { if (seen < 1000) print "only " seen + 0 " instructions on wide vectors were found" }
