/// `graphflow completions`: prints a completion script for a shell.
struct CompletionsCommand: Command {
    static let name = "completions"
    static let onlyReads = true
    static let summary = "Print a completion script for a shell."
    static let examples = ["completions bash > ~/.local/share/bash-completion/completions/graphflow"]
    static let discussion = """
        The script completes commands, options and their values, files, functions, runs, and the properties of a
        workflow's input. Load it in the shell's startup file, or put it where the shell looks for completions:

          bash    source <(graphflow completions bash)                                        in ~/.bashrc
          zsh     source <(graphflow completions zsh)                  after 'compinit' in ~/.zshrc
          fish    graphflow completions fish > ~/.config/fish/completions/graphflow.fish
        """

    @Operand(
        "bash|zsh|fish", "a shell", hint: "graphflow completions bash", offering: .names(Shell.allCases.map(\.rawValue))
    )
    private var shell: String

    enum Shell: String, CaseIterable {
        case bash
        case zsh
        case fish
    }

    func run(on console: Console) async throws -> ExitStatus {
        console.print(try Conversion<Shell>.choice("script for").value(shell, "").script)
        return .success
    }
}

extension CompletionsCommand.Shell {
    /// The script; it asks the program itself for completions.
    fileprivate var script: String {
        switch self {
        case .bash: Self.bashScript
        case .zsh: Self.zshScript
        case .fish: Self.fishScript
        }
    }

    private static let bashScript = #"""
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
        """#

    private static let zshScript = #"""
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
        """#

    private static let fishScript = #"""
        # Completes the commands of graphflow in fish.
        function __graphflow_complete
            set -l before (commandline -opc)
            set -l current (commandline -ct)
            for line in ($before[1] __complete $before[2..-1] "$current" 2>/dev/null)
                switch $line
                    case ':files'
                        __fish_complete_path "$current"
                    case ':folders'
                        __fish_complete_directories "$current"
                    case '*'
                        printf '%s\n' $line
                end
            end
        end
        complete -c graphflow -f -a '(__graphflow_complete)'
        """#
}
