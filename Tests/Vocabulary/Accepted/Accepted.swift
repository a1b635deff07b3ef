// Files as they stand in programs written for RxSwift, RxCocoa, Action, and ReactorKit, with other imports. Without the
// package trait `Migration`, much of this is refused; with it, both language modes have at most warnings.
// `Tests/Vocabulary/run` builds and runs it.

@MainActor
func accepted() async throws {
    mutableModels()
    mainActorScreens()
    coordinators()
    searchModel()
    try capturedState()
    ownConformances()
    unchangedReactors()
    articleForms()
    plainViewModels()
    try await awaitedValues()
}
