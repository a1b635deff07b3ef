internal import RxHost
package import RxJSON

/// Everything that decides how a reactor of jq programs works.
package struct JqReactorPlan: Sendable, Hashable {
    package enum Source: Sendable, Hashable {
        case action(String)
        case reactor(String)
    }

    package var initial: JSONValue
    package var programs: JqReactorPrograms
    /// Which action each rule executes, if any.
    package var actions: [String?] = []
    /// What each merge listens to.
    package var sources: [Source] = []
    package var stateBytes = ReactorDefinition.stateBytes
    package var limits = JqLimits()
    /// Becomes a worker when it is started as one.
    package var executable = "/proc/self/exe"

    package init(initial: JSONValue, programs: JqReactorPrograms) {
        self.initial = initial
        self.programs = programs
    }
}
