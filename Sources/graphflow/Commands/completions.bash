# Completes the commands of graphflow in bash.
_graphflow() {
    local line current=${COMP_WORDS[COMP_CWORD]}
    COMPREPLY=()
    [[ $current == "=" ]] && current=
    while IFS= read -r line; do
        case $line in
        :files)
            compopt -o filenames
            mapfile -t COMPREPLY < <(compgen -f -- "$current")
            ;;
        :folders)
            compopt -o filenames
            mapfile -t COMPREPLY < <(compgen -d -- "$current")
            ;;
        *)
            printf -v line %q "${line%%$'\t'*}"
            [[ $line == *= ]] && compopt -o nospace
            COMPREPLY+=("$line")
            ;;
        esac
    done < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _graphflow graphflow
