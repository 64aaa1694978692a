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
        console.print(Data(try Conversion<Shell>.choice("script for").value(shell, "").script))
        return .success
    }
}

extension CompletionsCommand.Shell {
    /// The script, a file in this folder; it asks the program itself for completions.
    fileprivate var script: [UInt8] {
        switch self {
        case .bash: PackageResources.completions_bash
        case .zsh: PackageResources.completions_zsh
        case .fish: PackageResources.completions_fish
        }
    }
}
