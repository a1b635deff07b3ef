/// A set of local times in the years 1970 to 2199, in order.
protocol LocalTimes {
    /// The first time of the set that is not before `local`; nil if there is none.
    func first(from local: LocalTime) -> LocalTime?

    /// The last time of the set that is not after `local`; nil if there is none.
    func last(through local: LocalTime) -> LocalTime?

    /// How many times the set has from `first` through `last`; 0 if `last` is earlier.
    func count(from first: LocalTime, through last: LocalTime) -> Int
}
