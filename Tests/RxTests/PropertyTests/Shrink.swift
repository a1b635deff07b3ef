extension Chain {
    /// Chains that are a little simpler: a part instead of the whole, or a source with an event less.
    var simpler: [Chain] {
        switch self {
        case .source(let source):
            return source.events.indices.map { index in
                var less = source
                less.events.remove(at: index)
                return .source(less)
            }
        case .one(let step, let chain):
            return [chain] + chain.simpler.map { .one(step, $0) }
        case .two(let step, let first, let second):
            return [first, second] + first.simpler.map { .two(step, $0, second) }
                + second.simpler.map { .two(step, first, $0) }
        case .many(let step, let outer, let inner):
            let fewer = inner.count > 1 ? inner.indices.map { index in inner.removing(index) } : []
            let less = inner.indices.flatMap { index in
                inner[index].simpler.map { simpler in
                    var changed = inner
                    changed[index] = simpler
                    return changed
                }
            }
            return [outer] + inner + (fewer + less).map { .many(step, outer, $0) }
                + outer.simpler.map { .many(step, $0, inner) }
        }
    }

    /// The simplest chain found, step by step, for which `fails` still holds.
    func shrunk(while fails: (Chain) -> Bool) -> Chain {
        var best = self
        while let simpler = best.simpler.first(where: fails) { best = simpler }
        return best
    }
}

extension [Chain] {
    fileprivate func removing(_ index: Int) -> [Chain] {
        var rest = self
        rest.remove(at: index)
        return rest
    }
}
