internal import ArgumentParser
internal import RxJSON
internal import RxPictures
internal import RxProtocol

struct GraphCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "graph",
        abstract: "Draws what starts what: sources, steps, streams, actions, and reactors.",
        usage: "rxctl graph [<options>] [<name>]",
        discussion: """
            With the name of a stream, an action, or a reactor, it draws what leads to it and what it leads to. Drawn \
            are the streams that you may see, with their elements per minute since they began, the refused firings of \
            each action and reactor, and why a stream waits or an action is disabled. With --json, prints the \
            daemon's reply instead.
            """)

    @Argument(help: "The name of a stream, an action, or a reactor; everything by default.", completion: .names)
    var name: String?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "What to print: text, dot (Graphviz), mermaid, or svg.", valueName: "format"))
    var format = GraphFormat.text

    @OptionGroup var options: GlobalOptions

    func run() throws {
        try DaemonSession.run(options) { session in
            session.call(.streamList, RawJSON(["graph": true])) { result in
                if options.json {
                    session.print(result)
                    return session.finish()
                }
                let all = Graph(GraphReply(result.value()).input(title: "streams", name: name))
                guard let graph = name.map({ all.focused(on: $0) }) ?? all else {
                    return session.finishUnknown(
                        NameArguments(.describe, [name ?? ""]),
                        orElse: "no stream that you may see reads \(name ?? "") or gives elements to it; "
                            + "rxctl graph draws all streams")
                }
                session.print(picture: text(of: graph))
                session.finish()
            }
        }
    }

    private func text(of graph: Graph) -> String {
        switch format {
        case .text:
            graph.nodes.isEmpty ? "There are no streams." : graph.text(width: TerminalWidth.columns)
        case .dot: graph.dot()
        case .mermaid: graph.mermaid()
        case .svg: graph.svg()
        }
    }
}

/// `-f svg`
enum GraphFormat: String, ExpressibleByArgument, CaseIterable {
    case text, dot, mermaid, svg
}

extension DaemonSession {
    /// Prints a picture, whose lines may end with a newline or not.
    func print(picture: String) {
        for line in picture.split(separator: "\n", omittingEmptySubsequences: false).trimmingLast() {
            print(String(line))
        }
    }
}

extension Array where Element == Substring {
    /// Without the empty line after the last newline.
    fileprivate func trimmingLast() -> ArraySlice<Substring> { last?.isEmpty == true ? dropLast() : self[...] }
}
