import Rx

// A program that uses every type and every member of the vocabulary as a user of the library would.
// `Tests/Vocabulary/run` builds it in both language modes and looks up in the compiler's index which names it refers
// to.

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
    implicitMembers()
    selectorForms()
    tupleForms()
    operatorForms()
    sharing()
    subjects()
    relays()
    binding()
    actions()
    reactors()
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
