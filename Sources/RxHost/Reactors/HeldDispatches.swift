/// The dispatches that wait for an engine, in their order.
struct HeldDispatches {
    /// The dispatches that an engine gave back when it stopped. They came before `held`.
    private var returned: [ReactorDispatch] = []
    private var held: [ReactorDispatch] = []

    var isEmpty: Bool { returned.isEmpty && held.isEmpty }
    var all: [ReactorDispatch] { returned + held }

    /// Holds a new dispatch.
    mutating func append(_ dispatch: ReactorDispatch) { held.append(dispatch) }

    var count: Int { returned.count + held.count }

    /// Takes the first `count`.
    mutating func takeFirst(_ count: Int) -> [ReactorDispatch] {
        let all = all
        returned = []
        held = Array(all.dropFirst(count))
        return Array(all.prefix(count))
    }

    /// Takes those that no engine has had.
    mutating func takeNew() -> [ReactorDispatch] {
        defer { held = [] }
        return held
    }

    /// Holds a dispatch that an engine gives back; in the order in which the engine took them.
    mutating func giveBack(_ dispatch: ReactorDispatch) { returned.append(dispatch) }
}
