import Rx

// A program that uses every type and every member of the vocabulary, written as its users write: `Clients/run` builds it in
// both language modes and looks up in the compiler's index which names it refers to.

/// Runs all of it, synchronous first, and ends the program.
@MainActor
func vocabulary(_ client: String) async throws -> Never {
    events()
    observers()
    disposables()
    composites()
    bags()
    creation()
    subscribing()
    transforming()
    sideEffects()
    filtering()
    failing()
    joining()
    combiningLatest()
    zipping()
    sharing()
    subjects()
    relays()
    binding()
    reactives()
    hooks()
    singles()
    singlesZipped()
    maybes()
    maybesZipped()
    completables()
    infallibles()
    infalliblesCombined()
    try blocking()
    try schedulers()
    schedulersOfOneThread()
    virtualTime()
    timing()
    timingOfTraits()
    try await mainSchedulers()
    try await asynchronous()
    ownTests()
    Checks.all.end(client)
}
