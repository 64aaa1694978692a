extension ChildProgram {
    var effect: Effect { .program(shown) }

    /// Everything that it does, as far as that is known.
    var effects: [Effect] { [effect] + consequences }
}

extension Effect {
    /// The effect of starting a program; `call` has the words as a user would write them.
    static func program(_ call: [String]) -> Effect {
        var effect = Effect(.program(command: .string(call.map(\.shellWord).joined(separator: " "))))
        effect.isOnce = true
        return effect
    }
}

extension String {
    package var shellWord: String {
        let isPlain = unicodeScalars.allSatisfy { scalar in
            scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                || "-_./:=@%+,".contains(Character(scalar)) || Drawing.isMark(scalar)
        }
        return isPlain && !isEmpty ? self : "'" + replacing("'", with: "'\\''") + "'"
    }
}
