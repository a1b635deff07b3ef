internal import RxJSON

/// The actions that a test may execute.
struct MockedActions {
    /// What is wrong with an input of an action, in a sentence; nil if its schema accepts the input.
    let inputFault: @Sendable (_ action: String, _ input: RawJSON) -> String?
    private let byName: [String: MockedAction]

    init(
        _ byName: [String: MockedAction],
        inputFault: @escaping @Sendable (_ action: String, _ input: RawJSON) -> String?
    ) {
        self.byName = byName
        self.inputFault = inputFault
    }

    subscript(_ name: String) -> MockedAction? { byName[name] }
}
