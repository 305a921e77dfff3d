# fish completion of lfbloom(1).  It reads commands, options and strategies from the tool's own
# output, so they always match the tool's version.

# A line for each command: its name, a tab, its purpose.
function __lfbloom_commands
    $argv[1] --help 2>/dev/null | sed -nE 's/^  ([a-z]+) +([a-z].*)/\1\t\2/p' | grep -v '^lfbloom'
end

# The same for what `lfbloom help` takes beside commands.
function __lfbloom_topics
    $argv[1] --help 2>/dev/null | sed -nE 's/^  lfbloom help ([a-z]+) +(.*)/\1\t\2/p'
end

# __lfbloom_options TOOL COMMAND: a line for each spelling of each option, with its text, which continues
# in column 25.  Long options that take a value end in "=".
function __lfbloom_options
    $argv[1] $argv[2] --help 2>/dev/null | awk '
        function flush(    i, n, spelling, text, words) {
            text = substr(row, 25)
            sub(/^ +/, "", text)
            n = split(substr(row, 1, 24), words)
            if (row !~ /^.{24} /) { text = row; sub(/^ +(-., )?(--)?[^ ]+ +/, "", text); n = split(row, words) }
            for (i = 1; i <= n && i <= 2 && words[i] ~ /^-/; i++) {
                spelling = words[i]
                if (!sub(/=.*/, "=", spelling)) sub(/,$/, "", spelling)
                print spelling "\t" text
            }
            row = ""
        }
        /^  (    )?-/ { flush(); row = $0; next }
        row != "" && /^       / { sub(/^ +/, " "); row = row $0; next }
        row != "" { flush() }'
end

# The words that a command can begin with, as "delete" of `lfbloom remote`: lower case in its usage.
function __lfbloom_words
    $argv[1] $argv[2] --help 2>/dev/null | sed -n 's/.*\[OPTIONS\]//p' | tr ' |' '\n\n' | grep -x '[a-z]\+'
end

# __lfbloom_values TOOL COMMAND OPTION: prints the possible values; fails if the value is a file name.
function __lfbloom_values
    switch $argv[3]
        case --strategy
            $argv[1] plan -n 1000 -p 0.01 2>/dev/null | awk 'NR > 3 { print $1 }'
        case --form --to
            printf '%s\n' native guava sbbf mapped milvus milvus-int64 milvus-utf8
        case --progress
            printf '%s\n' always never
        case --probes-formula
            printf '%s\n' 31 current
        case --hash
            printf '%s\n' aes siphash13 xxh3 default
        case '*' # --help calls the value FILE or OUT
            test -z "$($argv[1] $argv[2] --help 2>/dev/null |
                sed -nE "/^ +(-., )?$argv[3][= ](FILE|OUT)|^ +$argv[3], --[a-z-]+=(FILE|OUT)/p")"
    end
end

# Whether the word after WORD is its value: __lfbloom_takes_value TOOL COMMAND WORD
function __lfbloom_takes_value
    string match -qr '^-[nop]$' -- $argv[3]
    and return
    string match -q -- '--*' $argv[3]
    and __lfbloom_options $argv[1] $argv[2] | string match -q -- "$argv[3]="\t'*'
end

# Prints what can follow; fails if that is a file name.
function __lfbloom
    set -l words (commandline -opc)
    set -l token (commandline -ct)
    set -l tool (string replace -r '^~' -- $HOME $words[1])
    set -l command $words[2]

    if test (count $words) = 1
        __lfbloom_commands $tool
        printf '%s\n' help --help --version -V
    else if test $command = help
        __lfbloom_commands $tool
        __lfbloom_topics $tool
    else if set -l option (string match -r '^--[a-z-]+=' -- $token)
        set -l values (__lfbloom_values $tool $command (string trim -r -c = -- $option))
        or return
        printf '%s\n' $option$values
    else if test (count $words) -gt 2; and __lfbloom_takes_value $tool $command $words[-1]
        __lfbloom_values $tool $command $words[-1]
    else if string match -q -- '-*' $token
        __lfbloom_options $tool $command
    else if test (count $words) = 2
        __lfbloom_words $tool $command
    else
        return 1
    end
end

complete -c lfbloom -f -a '(__lfbloom)'
complete -c lfbloom -n 'not __lfbloom >/dev/null' -F
