/// The time of a `TestScheduler`, in units of its resolution.
public typealias TestTime = Int
