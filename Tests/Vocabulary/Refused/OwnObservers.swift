import Rx

// An observer gets events on any thread, one after the other.
final class Keeper: ObserverType {
    typealias Element = Int
    // refused: stored property 'kept' of 'Sendable'-conforming class 'Keeper' is mutable
    var kept: [Int] = []

    func on(_ event: Event<Int>) { kept += [event.element ?? 0] }
}
