/// Passes every event on. It can be disposed separately from the stage below.
final class Forward<Element: RxSendable>: Valve<Element, Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    override func next(_ element: Element) {
        guard isOpen else { return }
        downstream.next(element)
    }
}
