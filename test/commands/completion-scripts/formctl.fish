# Completion of formctl for fish. To load it: formctl completion fish | source
function __formctl_complete
    set -l words (commandline -opc)
    # A word with an open quote can't be unescaped: only its quote is removed.
    set -l word (commandline -ct | string collect)
    set -l plain (string unescape -- "$word" | string collect)
    or set plain (string replace -r '^[\'"]' '' -- "$word" | string collect)
    set -l lines (formctl complete -- $words[2..-1] "$plain" 2>/dev/null)
    test (count $lines) -gt 0; or return
    set -l directive (string sub -s 2 -- $lines[-1])
    if test (count $lines) -eq 1
        contains -- $directive 4 6; or __fish_complete_path "$plain"
        return
    end
    printf '%s\n' $lines[1..-2]
end
complete -c formctl -e
complete -c formctl -f -k -a '(__formctl_complete)'
