/// Places within a minute, in microseconds from 0 to 59,999,999. It is not empty.
enum SecondSet: Hashable, Sendable {
    case whole(NumberSet)
    /// Places that are not all whole seconds; the lists may overlap.
    case fractions([Progression])

    func first(from least: Int64) -> Int64? {
        switch self {
        case .whole(let seconds):
            let second = Int((least + Microseconds.perSecond - 1) / Microseconds.perSecond)
            return seconds.first(from: second).map { Int64($0) * Microseconds.perSecond }
        case .fractions(let lists): return lists.compactMap { $0.first(from: least) }.min()
        }
    }

    func last(through most: Int64) -> Int64? {
        switch self {
        case .whole(let seconds):
            return seconds.last(through: Int(most / Microseconds.perSecond)).map { Int64($0) * Microseconds.perSecond }
        case .fractions(let lists): return lists.compactMap { $0.last(through: most) }.max()
        }
    }

    /// How many places are not after `most`. Several lists of fractions are counted place by place, since they may
    /// overlap: it is the only function here that can take long, for microseconds in more than one list.
    func count(through most: Int64) -> Int {
        switch self {
        case .whole(let seconds): return seconds.count(below: Int(most / Microseconds.perSecond) + 1)
        case .fractions(let lists):
            if lists.count == 1 { return lists[0].count(through: most) }
            var count = 0
            var place = first(from: 0)
            while let found = place, found <= most {
                count += 1
                place = first(from: found + 1)
            }
            return count
        }
    }
}
