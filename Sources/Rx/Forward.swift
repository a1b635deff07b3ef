/// Hands everything on; there to be disposed apart from what is below.
final class Forward<Element: Sendable>: Valve<Element, Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    override func next(_ element: Element) {
        guard isOpen else { return }
        downstream.next(element)
    }
}
