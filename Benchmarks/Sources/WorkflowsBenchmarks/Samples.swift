import Foundation

/// The files that are measured: the same bytes every time.
enum Samples {
    /// A workflow of that many tasks, of the kinds and with the expressions that workflows have.
    static func workflow(tasks: Int) -> String {
        var text = """
            document:
              dsl: 1.0.3
              namespace: benchmarks
              name: generated
              version: 1.0.0
            do:

            """
        for group in 0..<(tasks / 5) {
            text += """
                # Group \(group): data, a decision, and a call that may fail.
                - set\(group):
                    set: { number: \(group), name: "item \(group)" }
                    export: { as: '${ $context + . }' }
                - choose\(group):
                    switch:
                    - large: { when: .number > 1000, then: try\(group) }
                    - otherwise: { then: continue }
                - try\(group):
                    try:
                    - me\(group): { if: '${ .number > 0 }', call: me, with: { user: '${ .name }' } }
                    catch:
                      errors: { with: { status: 404 } }
                      do:
                      - none\(group): { set: { email: null } }

                """
        }
        return text
    }

    /// An array of that many objects of about 150 bytes, each with seven numbers.
    static func data(objects: Int) -> String {
        let words = ["lorem", "ipsum", "dolor", "sit", "amet", "consectetur", "adipiscing", "elit"]
        var text = "["
        var state: UInt64 = 1
        func random(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        for position in 0..<objects {
            let sentence = (0..<6).map { _ in words[random(words.count)] }.joined(separator: " ")
            let numbers = (0..<7).map { _ in String(random(100)) }.joined(separator: ",")
            text += position == 0 ? "\n" : ",\n"
            text += #"{"a":\#(random(20)),"b":"item \#(position)","c":{"d":\#(random(1000))},"k":"g\#(random(50))","#
            text += #""n":[\#(numbers)],"s":"\#(sentence)","f":\#(random(1000)).\#(random(1000)),"t":true,"z":null}"#
        }
        return text + "\n]\n"
    }
}
