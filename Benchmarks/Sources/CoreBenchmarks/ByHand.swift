/// What every contender adds to. Cheap, so that it does not hide what is measured.
final class Sum: @unchecked Sendable {
    // Unchecked: a benchmark adds on one thread at a time.
    @exclusivity(unchecked) var value = 0
}

/// What one writes without a library where nobody leaves: closures called in order.
final class ClosureList {
    @exclusivity(unchecked) var closures: [(Int) -> Void] = []

    @inline(never)
    func send(_ number: Int) {
        for closure in closures { closure(number) }
    }
}

/// What one writes without a library where listeners come and go: closures by a number that their owner keeps.
final class ClosureTable {
    @exclusivity(unchecked) private var closures: [Int: (Int) -> Void] = [:]
    @exclusivity(unchecked) private var lastKey = 0

    @inline(never)
    func add(_ closure: @escaping (Int) -> Void) -> Int {
        lastKey += 1
        closures[lastKey] = closure
        return lastKey
    }

    @inline(never)
    func remove(_ key: Int) { closures[key] = nil }

    @inline(never)
    func send(_ number: Int) {
        for closure in closures.values { closure(number) }
    }
}

/// Steps by hand: each a closure that calls the next one. Never inlined, because a chain is put together at run time.
@inline(never)
func mapping(_ transform: @escaping (Int) -> Int, _ next: @escaping (Int) -> Void) -> (Int) -> Void {
    { next(transform($0)) }
}

@inline(never)
func filtering(_ predicate: @escaping (Int) -> Bool, _ next: @escaping (Int) -> Void) -> (Int) -> Void {
    { if predicate($0) { next($0) } }
}
