/// What is kept of the output of one execution, for `execution.output` and for readers that come back later.
public struct KeptOutput: Sendable, Hashable {
    /// The elements.
    public package(set) var elements: KeptElements
    /// What the work wrote to its standard error.
    public package(set) var errors: KeptErrors

    package init(elements: KeptElements = KeptElements(), errors: KeptErrors = KeptErrors()) {
        self.elements = elements
        self.errors = errors
    }
}
