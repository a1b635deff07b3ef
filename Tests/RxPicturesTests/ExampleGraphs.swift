import RxPictures

private typealias Input = GraphInput

/// Graphs of the kind that users have.
enum ExampleGraphs {
    private static let backup = Input.Stream(
        name: "backup@1", isInline: true,
        source: Input.Source(key: "calendar", value: "*-*-* 03:00 Europe/Berlin"))

    private static let saves = Input.Stream(
        name: "saves", description: "Someone has saved a page",
        source: Input.Source(
            key: "path", value: "/srv/site/content *.md", figures: GraphFigures(perMinute: 240)),
        steps: [
            Input.Step(
                number: "1", operation: "debounce", argument: "300ms, at-most 5s",
                figures: GraphFigures(perMinute: 11.6))
        ],
        figures: GraphFigures(perMinute: 11.6))

    private static let failures = Input.Stream(
        name: "failures", source: Input.Source(key: "action", value: "* errors"),
        steps: [
            Input.Step(number: "1", operation: "filter", argument: ".action != \"alert\""),
            Input.Step(
                number: "2", operation: "groupBy", argument: ".action",
                inner: [
                    Input.Step(number: "2.1", operation: "throttle", argument: "10m"),
                    Input.Step(number: "2.2", operation: "take", argument: "5"),
                ]),
        ])

    /// The three actions of the contract's first section.
    static let contract = Graph(
        GraphInput(
            title: "everything", streams: [backup, saves, failures],
            targets: [
                Input.Target(kind: .action, name: "backup", on: ["backup@1"]),
                Input.Target(kind: .action, name: "site", on: ["saves"], figures: GraphFigures(refused: 3)),
                Input.Target(kind: .action, name: "alert", on: ["failures"]),
            ]))

    /// Push to deploy: an approval in a reactor, a rolling deployment, feedback, and a disabled stream.
    static let deployment = Graph(
        GraphInput(
            title: "deployment",
            streams: [
                Input.Stream(
                    name: "pushes", description: "post-receive", source: Input.Source(key: "subject", value: "true"),
                    steps: [
                        Input.Step(number: "1", operation: "filter", argument: ".ref == \"refs/heads/main\""),
                        Input.Step(number: "2", operation: "distinctUntilChanged", argument: ".commit"),
                    ], figures: GraphFigures(perMinute: 0.2)),
                Input.Stream(
                    name: "rollout",
                    source: Input.Source(key: "stream", references: [Input.Reference(.stream, "pushes")]),
                    steps: [
                        Input.Step(
                            number: "1", operation: "withLatestFrom", argument: "approval",
                            sources: [
                                Input.Source(
                                    key: "reactor", references: [Input.Reference(.reactor, "approval", label: "/by")])
                            ]),
                        Input.Step(
                            number: "2", operation: "concatMap", argument: "each host",
                            inner: [
                                Input.Step(
                                    number: "2.1", operation: "concatMap", argument: "deploy yields last",
                                    executes: "deploy"),
                                Input.Step(number: "2.2", operation: "retry", argument: "3, delay 10s"),
                                Input.Step(number: "2.3", operation: "takeWhile", argument: ".ok"),
                            ]),
                    ],
                    conditions: [Input.Reference(.reactor, "approval", label: ".approved")],
                    figures: GraphFigures(disabled: "approval is missing")),
                Input.Stream(
                    name: "outcomes",
                    source: Input.Source(
                        key: "action", references: [Input.Reference(.action, "deploy", label: "errors")]),
                    steps: [Input.Step(number: "1", operation: "recent", argument: "10m, count 5")],
                    figures: GraphFigures(perMinute: 1)),
            ],
            targets: [
                Input.Target(kind: .action, name: "build", on: ["pushes"], figures: GraphFigures(perMinute: 0.2)),
                Input.Target(kind: .action, name: "deploy"),
                Input.Target(kind: .reactor, name: "approval", on: ["outcomes"]),
            ]))

    /// A light that turns itself off: everything waits for a bus that is not there.
    static let light = Graph(
        GraphInput(
            title: "light",
            streams: [
                Input.Stream(
                    name: "doors",
                    source: Input.Source(
                        key: "merge",
                        parts: [
                            Input.Source(key: "program", value: "mosquitto_sub -t home/door/front -F %j"),
                            Input.Source(key: "bus", value: "org.example.Door Opened"),
                            Input.Source(key: "signal", value: "USR1"),
                        ]),
                    steps: [Input.Step(number: "1", operation: "throttle", argument: "2s")],
                    figures: GraphFigures(waiting: "the bus /run/dbus/system_bus_socket does not exist")),
                Input.Stream(
                    name: "on-too-long",
                    source: Input.Source(
                        key: "reactor", references: [Input.Reference(.reactor, "light", label: "/on")]),
                    steps: [Input.Step(number: "1", operation: "held", argument: "30m while .")]),
            ],
            targets: [
                Input.Target(
                    kind: .reactor, name: "light", on: ["doors", "on-too-long"],
                    outputs: [Input.Reference(.action, "switch")]),
                Input.Target(kind: .action, name: "switch"),
                Input.Target(kind: .action, name: "unused"),
            ]))

    /// Labels in other scripts, and labels that try to break out of their format.
    static let labels = Graph(
        GraphInput(
            title: "labels <&\"'>",
            streams: [
                Input.Stream(
                    name: "保存", description: "誰かがページを保存しました、そして長い説明が続きます",
                    source: Input.Source(key: "path", value: "/srv/サイト/コンテンツ/とても長い名前のフォルダー/*.md"),
                    steps: [
                        Input.Step(
                            number: "1", operation: "map", argument: "{a: \"<b>\\(.x)</b>\", c: \"]] --> & | ; #\"}"),
                        Input.Step(
                            number: "2", operation: "filter",
                            argument: ".very.long.path[0].to.a.value | test(\"^[a-z]+\\\\.[0-9]+$\"; \"x\") and .more"),
                    ])
            ],
            targets: [
                Input.Target(kind: .action, name: "end", on: ["保存"]),
                Input.Target(kind: .reactor, name: "emoji-🚦", on: ["保存"]),
            ]))

    static let all: [(name: String, graph: Graph)] = [
        ("contract", contract), ("deployment", deployment), ("light", light), ("labels", labels),
        ("machine", machine),
    ]
}

extension ExampleGraphs {
    /// A machine with many streams: fans, merges, and one alert for all of them.
    static let machine: Graph = {
        func stream(_ name: String, _ key: String, _ value: String, _ steps: [(String, String)]) -> GraphInput.Stream {
            GraphInput.Stream(
                name: name, source: GraphInput.Source(key: key, value: value),
                steps: steps.enumerated().map { index, step in
                    GraphInput.Step(number: "\(index + 1)", operation: step.0, argument: step.1)
                })
        }
        return Graph(
            GraphInput(
                title: "machine",
                streams: [
                    stream("disk", "every", "5m", [("map", "df"), ("filter", ".used > 90"), ("throttle", "1h")]),
                    stream(
                        "ssh", "journal", "_SYSTEMD_UNIT=ssh.service", [("recent", "10m, count 5"), ("groupBy", ".IP")]
                    ),
                    stream("units", "unit", "*.service", [("filter", ".active == \"failed\"")]),
                    stream("heartbeat", "subject", "true", [("timeout", "5m")]),
                    stream("logs", "lines", "/var/log/app.log", [("buffer", "5s, count 100"), ("map", "join")]),
                    GraphInput.Stream(
                        name: "trouble",
                        source: GraphInput.Source(
                            key: "merge",
                            parts: ["disk", "ssh", "units", "heartbeat"].map {
                                GraphInput.Source(key: "stream", references: [GraphInput.Reference(.stream, $0)])
                            }),
                        steps: [GraphInput.Step(number: "1", operation: "distinctUntilChanged")]),
                ],
                targets: [
                    GraphInput.Target(kind: .action, name: "alert", on: ["trouble"]),
                    GraphInput.Target(kind: .action, name: "ban", on: ["ssh"]),
                    GraphInput.Target(kind: .action, name: "restart", on: ["units"]),
                    GraphInput.Target(kind: .action, name: "flush", on: ["logs"]),
                    GraphInput.Target(kind: .reactor, name: "health", on: ["trouble", "heartbeat"]),
                ]))
    }()
}
