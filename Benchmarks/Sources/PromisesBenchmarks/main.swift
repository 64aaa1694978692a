let only = CommandLine.arguments.dropFirst()
for (n, f) in [
  ("1i", { PromiseCases.mapOnce(inline: true) }), ("1d", { PromiseCases.mapOnce(inline: false) }), ("2", PromiseCases.longChain), ("2d", PromiseCases.releasedChain),
  ("3", PromiseCases.returnedPromises), ("4r", PromiseCases.whenResolved), ("4p", PromiseCases.whenPending), ("5", PromiseCases.rejection), ("6o", { PromiseCases.twoThreads(shared: false) }),
  ("6s", { PromiseCases.twoThreads(shared: true) }), ("7", PromiseCases.hops), ("8r", PromiseCases.awaitResolved), ("8p", PromiseCases.awaitPending),
] as [(String, () -> Double)] {
  if only.isEmpty || only.contains(n) { print(n, f()) }
}
