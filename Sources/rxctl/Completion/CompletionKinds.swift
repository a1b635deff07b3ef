internal import ArgumentParser
internal import RxJSON
internal import RxProtocol

// The candidates for an argument, requested from the daemon when the user presses Tab. The scripts are the argument
// parser's (`rxctl --generate-completion-script bash`); they call rxctl with the words so far.

extension CompletionKind {
    /// Names of actions.
    static var actions: CompletionKind {
        querying { words in
            CompletionQuery(words).ask(.actionList).map(Candidate.actions) ?? []
        }
    }

    /// Names of reactors.
    static var reactors: CompletionKind {
        querying { words in
            CompletionQuery(words).ask(.reactorList).map(Candidate.reactors) ?? []
        }
    }

    /// Names of streams.
    static var streams: CompletionKind {
        querying { words in
            CompletionQuery(words).ask(.streamList).map(Candidate.streams) ?? []
        }
    }

    /// Names of actions, reactors, and streams.
    static var names: CompletionKind {
        querying { words in
            let query = CompletionQuery(words)
            return (query.ask(.actionList).map(Candidate.actions) ?? [])
                + (query.ask(.reactorList).map(Candidate.reactors) ?? [])
                + (query.ask(.streamList).map(Candidate.streams) ?? [])
        }
    }

    /// Names of what can be switched off and on.
    static var actionsAndStreams: CompletionKind {
        querying { words in
            let query = CompletionQuery(words)
            return (query.ask(.actionList).map(Candidate.actions) ?? [])
                + (query.ask(.streamList).map(Candidate.streams) ?? [])
        }
    }

    static var actionsAndReactors: CompletionKind {
        querying { words in
            let query = CompletionQuery(words)
            return (query.ask(.actionList).map(Candidate.actions) ?? [])
                + (query.ask(.reactorList).map(Candidate.reactors) ?? [])
        }
    }

    /// Users, reactors, and streams, for `--by`.
    static var requesters: CompletionKind {
        querying { words in
            let query = CompletionQuery(words)
            let reactors = query.ask(.reactorList).map(Candidate.reactors) ?? []
            let streams = query.ask(.streamList).map(Candidate.streams) ?? []
            return RequesterArgument.users(atMost: 1000).map { Candidate(text: $0) }
                + reactors.map { Candidate(text: "reactor:\($0.text)", description: $0.description) }
                + streams.map { Candidate(text: "stream:\($0.text)", description: $0.description) }
        }
    }

    /// Executions in flight.
    static var executions: CompletionKind {
        querying { words in
            CompletionQuery(words).executions.map(Candidate.executions) ?? []
        }
    }

    static var executionsAndActions: CompletionKind {
        querying { words in
            let query = CompletionQuery(words)
            guard let executions = query.executions, let actions = query.ask(.actionList) else { return [] }
            return Candidate.executions(executions) + Candidate.actions(actions)
        }
    }

    /// Executions in flight, and the names of actions, reactors, and streams.
    static var anything: CompletionKind {
        querying { words in
            let query = CompletionQuery(words)
            guard let executions = query.executions, let actions = query.ask(.actionList) else { return [] }
            return Candidate.executions(executions) + Candidate.actions(actions)
                + (query.ask(.reactorList).map(Candidate.reactors) ?? [])
                + (query.ask(.streamList).map(Candidate.streams) ?? [])
        }
    }

    /// `key=` pairs after ACTION, from its schema.
    static var input: CompletionKind {
        querying { words in
            guard let action = words.action,
                let description = CompletionQuery(words).ask(.actionDescribe, ["action": .string(action)])
            else { return [] }
            return InputCompletion.candidates(schema: description["schema"] ?? .null, words)
        }
    }

    private static func querying(_ candidates: @escaping @Sendable (CommandLineWords) -> [Candidate]) -> CompletionKind
    {
        .custom { words, index, _ in
            let shell = CompletionShell.requesting ?? .bash
            let words = CommandLineWords(words, index: index)
            return candidates(words).compactMap { $0.text(for: shell, completing: words) }
        }
    }
}

extension CompletionQuery {
    fileprivate var executions: JSONValue? {
        ask(.executionList, ["state": ["queued", "executing"]])
    }
}
