/// Admits a few tasks at a time, in the order of their calls; the others are suspended.
actor Admission {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// - Parameter width: the number of tasks admitted at a time.
    init(width: Int) { free = width }

    /// Returns once admitted; each call needs one call of `leave`.
    func enter() async {
        guard free == 0 else {
            free -= 1
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func leave() {
        guard waiting.isEmpty else { return waiting.removeFirst().resume() }
        free += 1
    }
}
