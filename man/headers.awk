# headers.awk - makes mdoc of the public headers: the sentence of each header, and its functions.

function finish() {
  if (name != "" && functions != "") {
    print ".Ss lfbloom/" name
    gsub(/\.  +/, ".\n", sentence) # mdoc wants each sentence to begin a line
    print toupper(substr(sentence, 1, 1)) substr(sentence, 2)
    print ".Pp"
    print functions
  }
  name = sentence = functions = ""
}

FNR == 1 {
  finish()
  declaring = 0
}

/^ \* lfbloom\/[a-z0-9_]+\.h - / {
  name = $2
  sub(/.*\//, "", name)
  sub(/^.* - /, "")
  sentence = $0
  heading = 1
  next
}
heading && /^ \*$/ { heading = 0 }
heading {
  sub(/^ \* /, "")
  sentence = sentence "\n" $0
}

/^(LFB_API|LFB_CHECKED|LFB_INLINE) / { declaring = 1 }
declaring && match($0, /lfb_[a-z0-9_]+\(/) {
  functions = functions (functions == "" ? "" : " ,\n") ".Fn " substr($0, RSTART, RLENGTH - 1)
  declaring = 0
}

END { finish() }
