#compdef graphflow
# Completes the commands of graphflow in zsh.
_graphflow() {
    local line word
    local -a offered open
    for line in "${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        case $line in
        (:files) _files; return ;;
        (:folders) _files -/; return ;;
        ('') ;;
        (*)
            word=${line%%$'\t'*}
            if [[ $word == *= ]]; then open+=("${word//:/\\:}:${line#*$'\t'}")
            else offered+=("${word//:/\\:}:${line#*$'\t'}"); fi
            ;;
        esac
    done
    (( $#open )) && _describe -t words word open -S ''
    (( $#offered )) && _describe -t words word offered
}
if [[ ${zsh_eval_context[-1]} == loadautofunc ]]; then _graphflow "$@"; else compdef _graphflow graphflow; fi
