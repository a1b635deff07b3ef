internal import RxHost
package import RxJSON

/// The complete definition of a jq reactor.
package struct JqReactorPlan: Sendable, Hashable {
    package enum Source: Sendable, Hashable {
        case action(String)
        case reactor(String)
    }

    /// The reactor's name, for the causes of executions; empty if no rule executes an action.
    package var reactor = ""
    package var initial: JSONValue
    package var programs: JqReactorPrograms
    /// The action that each rule executes, if any.
    package var actions: [String?] = []
    /// The source of each merge.
    package var sources: [Source] = []
    package var stateBytes = ReactorDefinition.stateBytes
    package var limits = JqLimits()
    /// The program to start as a worker.
    package var executable = "/proc/self/exe"

    package init(initial: JSONValue, programs: JqReactorPrograms) {
        self.initial = initial
        self.programs = programs
    }
}
