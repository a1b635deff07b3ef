/// All sources. The configuration reader, the checker, `rxctl describe --operators`, and docs/streams.md follow from
/// it.
public enum SourceTable {
    /// In the order of the documentation.
    public static let all: [SourceDescription] = [
        slots(
            "every", .time(.every),
            "At multiples of a duration below one day, or at the midnights of every so many days."),
        SourceDescription(
            "after", .duration(atLeast: 100_000),
            "That long after the daemon starts, then that long after each execution of this `on`; only in an action.",
            element: slotElement, isSlot: true, isOfAction: true, canWait: true),
        slots("calendar", .time(.calendar), "When the clock shows these times, in the grammar of systemd.time."),
        slots(
            "cron", .time(.cron),
            "When the clock shows these times, in the grammar of cron: 5 fields, or 6 with seconds first."),
        slots("at", .time(.at), "Once, at this time."),
        SourceDescription(
            "start", .flag, "Once, when the daemon is ready; not on a reload.", element: #"{"stopped"}"#),
        SourceDescription(
            "path", .path, "Changes of the files at and below a path.",
            element: #"{"path","event","from","directory"}"#,
            parameters: [
                Parameter(
                    "events", .choices(["created", "written", "moved", "removed", "attributes"]),
                    standard: "written, moved, removed", "which changes"),
                Parameter("recursive", .boolean, standard: "false", "whether subdirectories are watched"),
                Parameter("include", .texts, "globs of the only names that count"),
                Parameter("exclude", .texts, "globs of names that do not count"),
                Parameter("existing", .boolean, standard: "false", "whether the first start emits what is there"),
                Parameter("most", .count(1...100_000_000), standard: "1000000", "the most entries"),
            ], canWait: true, hasPosition: true, needsManage: true),
        SourceDescription(
            "lines", .path, "The lines that are appended to a file, across its rotation.",
            element: #"{"line","path"}"#, canWait: true, hasPosition: true, needsManage: true),
        SourceDescription(
            "space", .path, "The space of the file system that a path is on.",
            element: #"{"path","used","free","size","files"}"#,
            parameters: [
                Parameter(
                    "interval", .duration(atLeast: 1_000_000), standard: "1m", "the time between two measurements")
            ], isLevel: true, needsManage: true),
        SourceDescription(
            "journal", .table([]), "Records of the journal whose fields match.", element: "the record's fields",
            canWait: true, hasPosition: true, needsManage: true),
        SourceDescription(
            "unit", .text, "The state of a unit of systemd, or of all that match.",
            element: #"{"unit","active","sub","result","since","restarts"}"#, isLevel: true, needsManage: true),
        SourceDescription(
            "bus", .table(["interface", "member", "path", "sender"]), "Broadcast signals of D-Bus.",
            element: #"{"sender","path","arguments"}"#,
            parameters: [Parameter("system", .boolean, standard: "true", "whether it is the system bus")],
            needsManage: true),
        SourceDescription("signal", .text, "A signal that the daemon receives.", element: #"{"signal","uid","pid"}"#),
        SourceDescription(
            "action", .actions, "Events of the executions of these actions, or of all with `\"*\"`.",
            element: #"{"action","execution","channel","time","value"}; on "errors", "error" in place of "value"; "#
                + #"on "errors" and "executions", also "input" and "by""#,
            parameters: [
                Parameter(
                    "channel", .choices(["elements", "errors", "executions", "executing"]), standard: "elements",
                    "which events")
            ], canWait: true, hasPosition: true),
        SourceDescription(
            "reactor", .reactor, "The value at a pointer into the state of a reactor.", element: "the value",
            parameters: [Parameter("pointer", .pointer, standard: "\"\", the whole state", "a JSON pointer")],
            isLevel: true),
        SourceDescription(
            "program", .words, "The output of a program that rxd keeps running.", element: "a line, or its JSON",
            parameters: [
                Parameter("output", .choice(["lines", "json"]), standard: "lines", "what a line of the output is")
            ], canWait: true, needsManage: true),
        SourceDescription("subject", .flag, "What clients send.", element: "the JSON"),
        SourceDescription(
            "stream", .stream, "What another stream emits.", element: "that stream's element",
            parameters: [
                Parameter(
                    "channel", .choice(StreamChannel.allCases.map(\.rawValue)), standard: "elements", "what of it")
            ]
        ) { source in
            source.text("stream").map {
                .stream($0, channel: source.text("channel").flatMap(StreamChannel.init) ?? .elements)
            }
        },
        SourceDescription("merge", .sources, "All elements of several sources.", element: "an element of one of them") {
            if case .sources(let sources)? = $0.arguments["merge"] { .merge(sources) } else { nil }
        },
        SourceDescription(
            "combineLatest", .named, "The newest values of several sources, at each change.",
            element: #"{"a":…,"b":…}"#
        ) {
            if case .named(let sources)? = $0.arguments["combineLatest"] { .combineLatest(sources) } else { nil }
        },
        SourceDescription(
            "zip", .named, "The first values of several sources together, then the second ones, and so on.",
            element: #"{"a":…,"b":…}"#
        ) {
            if case .named(let sources)? = $0.arguments["zip"] { .zip(sources) } else { nil }
        },
    ]

    /// The row of a kind.
    public static func named(_ name: String) -> SourceDescription? { byName[name] }

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    private static let slotElement = #"{"scheduled","local","fired","missed"}"#

    private static func slots(_ name: String, _ main: Parameter.Kind, _ summary: String) -> SourceDescription {
        SourceDescription(
            name, main, summary, element: slotElement, parameters: slotParameters, isSlot: true, canWait: true,
            hasPosition: true)
    }

    private static var slotParameters: [Parameter] {
        [
            Parameter("zone", .zone, standard: "the machine's", "the time zone"),
            Parameter(
                "missed", .choice(["none", "once", "all"]), standard: "once",
                "what is owed for slots that came due while the daemon was down"),
            Parameter("missed-window", .duration(atLeast: 0), standard: "1d", "how old an owed slot may be"),
            Parameter("jitter", .duration(atLeast: 0), standard: "0s", "a stable offset below this"),
        ]
    }
}

/// One kind of source.
public struct SourceDescription: Sendable {
    /// The key, spelled as in the contract.
    public let name: String
    /// The main argument.
    public let main: Parameter
    /// What it emits, in a sentence.
    public let summary: String
    /// The form of an element, for people: JSON, or a word.
    public let element: String
    /// The further parameters.
    public let parameters: [Parameter]
    /// Whether the elements are a current value.
    public let isLevel: Bool
    /// Whether the elements are slots: times at which something is due. Their positions are always kept.
    public let isSlot: Bool
    /// Whether it follows the executions of the action of its `on`, and can be only there.
    public let isOfAction: Bool
    /// Whether an `on` can make the source wait.
    public let canWait: Bool
    /// Whether a later run can go on where an earlier one stopped.
    public let hasPosition: Bool
    /// Whether the stream is visible only with the right `manage`, unless `allow` grants more.
    public let needsManage: Bool
    private let combine: Combine?

    /// Makes the definition of a source that is not opened itself; nil if an argument is missing.
    typealias Combine = @Sendable (ExternalSource) -> SourceDefinition?

    init(
        _ name: String, _ main: Parameter.Kind, _ summary: String, element: String, parameters: [Parameter] = [],
        isLevel: Bool = false, isSlot: Bool = false, isOfAction: Bool = false, canWait: Bool = false,
        hasPosition: Bool = false, needsManage: Bool = false, combine: Combine? = nil
    ) {
        self.name = name
        self.main = Parameter(name, main, required: true, "")
        self.summary = summary
        self.element = element
        self.parameters = parameters
        self.isLevel = isLevel
        self.isSlot = isSlot
        self.isOfAction = isOfAction
        self.canWait = canWait
        self.hasPosition = hasPosition
        self.needsManage = needsManage
        self.combine = combine
    }

    /// The source with these arguments, by their names; nil if one has another type than its parameter.
    public func definition(_ arguments: [String: ArgumentValue]) -> SourceDefinition? {
        let source = ExternalSource(name, arguments)
        return combine.map { $0(source) } ?? .external(source)
    }
}
