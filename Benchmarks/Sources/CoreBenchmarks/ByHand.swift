/// What every contender adds to. Cheap, so that it does not hide what is measured.
final class Sum: @unchecked Sendable {
    // Unchecked: a benchmark sends from one thread.
    @exclusivity(unchecked) var value = 0
}

/// What one writes without a library: closures called in order.
final class ClosureList {
    @exclusivity(unchecked) var closures: [@Sendable (Int) -> Void] = []

    @inline(never)
    func send(_ number: Int) {
        for closure in closures { closure(number) }
    }
}
