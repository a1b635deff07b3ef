internal import JqWorker
internal import RxHost
internal import RxJSON

/// Everything that decides how a reactor of jq programs works.
struct JqReactorPlan: Sendable, Hashable {
    enum Source: Sendable, Hashable {
        case action(String)
        case reactor(String)
    }

    var initial: JSONValue
    var programs: JqReactorPrograms
    /// Which action each rule executes, if any.
    var actions: [String?] = []
    /// What each merge listens to.
    var sources: [Source] = []
    var stateBytes = ReactorDefinition.stateBytes
    var limits = JqLimits()
    /// Becomes a worker when it is started as one.
    var executable = "/proc/self/exe"

    init(initial: JSONValue, programs: JqReactorPrograms) {
        self.initial = initial
        self.programs = programs
    }
}
