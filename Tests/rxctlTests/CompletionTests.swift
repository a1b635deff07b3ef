import ArgumentParser
import Glibc
import RxProtocol
import RxJSON
import TestSupport
import Testing

@testable import rxctl

@Suite(.ownThreads)
struct CompletionTests {
    private static let schema: JSONValue = [
        "type": "object",
        "required": ["env", "count"],
        "properties": [
            "note": ["type": "string", "description": "What for: anything"],
            "env": ["enum": ["prod", "test", 3], "description": "Where\nto"],
            "dry": ["type": "boolean"],
            "count": ["type": "integer"],
            "tags": ["type": ["array", "null"]],
            "name": ["type": ["null", "string"]],
            "any": true,
            "0day": ["type": "string"],
        ],
    ]

    /// What bash would be given: the words as bash breaks them, the last one being completed.
    private func candidates(_ words: String..., shell: CompletionShell = .bash) -> [String] {
        let words = CommandLineWords(["rxctl"] + words, index: words.count)
        return InputCompletion.candidates(schema: CompletionTests.schema, words)
            .compactMap { $0.text(for: shell, completing: words) }
    }

    @Test("an input's keys come from the schema: those it needs first, values where it lists them")
    func keys() {
        #expect(
            candidates("execute", "deploy", "") == [
                "env=prod", "env=test", "env:=3", "count:=", "note=", "dry:=true", "dry:=false", "tags:=", "name=",
                "any=",
            ])
    }

    @Test("arguments that are already present are left out, however bash split them")
    func given() {
        #expect(
            candidates("execute", "deploy", "env", "=", "prod", "dry", ":=", "true", "--raw", "count:=3", "")
                == ["note=", "tags:=", "name=", "any="])
    }

    @Test("after a break bash takes only the rest of the word")
    func afterBreak() {
        #expect(candidates("execute", "deploy", "env", "=") == ["prod", "test"])
        #expect(candidates("execute", "deploy", "env", "=", "pr") == ["prod", "test"])
        #expect(candidates("execute", "deploy", "dry", ":=") == ["true", "false"])
        #expect(candidates("execute", "deploy", "nosuch", "=") == [])
        // Where the user has taken `=` out of COMP_WORDBREAKS.
        #expect(candidates("execute", "deploy", "env=pr").prefix(2) == ["env=prod", "env=test"])
    }

    @Test("an input of another form has no keys", arguments: ["{}", "-", "@file", "text"])
    func otherForms(word: String) {
        #expect(candidates("execute", "deploy", word, "") == [])
    }

    @Test("zsh and fish show descriptions; their own special characters are escaped")
    func descriptions() {
        let zsh = candidates("execute", "deploy", "env=prod", "dry:=true", "count:=1", "", shell: .zsh)
        #expect(zsh == ["note=:What for: anything", #"tags\:="#, "name=", "any="])
        let fish = candidates("execute", "deploy", "note=x", "", shell: .fish)
        #expect(fish.first == "env=prod\tWhere")
    }

    @Test("a candidate is escaped, since bash would execute it")
    func injection() {
        let words = CommandLineWords(["rxctl", "execute", ""], index: 2)
        let text = Candidate(text: #"a$(touch x)`y`'"\ z"#).text(for: .bash, completing: words)
        #expect(text == #"a\$\(touch\ x\)\`y\`\'\"\\\ z"#)
        #expect(Candidate(text: "a\nb").text(for: .bash, completing: words) == nil)
    }

    @Test("options and their values are not arguments, and --socket is respected")
    func words() {
        let words = CommandLineWords(
            ["rxctl", "-s", "/a b", "--json", "execute", "--timeout", "5s", "'deploy'", "k", "=", "v", "x"], index: 11)
        #expect(words.socket == "/a b")
        #expect(words.action == "deploy")
        #expect(Array(words.input) == ["k=v"])
        #expect(words.current == "x" && words.head == "")
        #expect(CommandLineWords(["rxctl", "--socket", "=", "/x", "why", ""], index: 5).socket == "/x")
        #expect(CommandLineWords(["rxctl", "call", "--", "--odd", ""], index: 4).positionals == ["call", "--odd"])
        #expect(CommandLineWords([], index: 0).current == "")
        #expect(CommandLineWords(["="], index: 7).positionals == [])
    }

    @Test("every option that takes a value is known to the completion")
    func options() {
        var known: Set<String> = ["--generate-completion-script"]
        for command in [RootCommand.self] + RootCommand.configuration.subcommands {
            for line in command.helpMessage(columns: 200).split(separator: "\n") {
                let words = line.split(separator: " ")
                guard line.hasPrefix("  -"), let value = words.firstIndex(where: { $0.hasPrefix("<") }) else {
                    continue
                }
                known.formUnion(words[..<value].map { String($0.filter { $0 != "," }) })
            }
        }
        #expect(known == CommandLineWords.optionsWithValues)
    }

    @Test("actions and executions are offered with distinguishing descriptions")
    func lists() throws {
        #expect(
            Candidate.actions(["actions": [["action": "a", "description": "A"], ["action": "b"]]])
                == [Candidate(text: "a", description: "A"), Candidate(text: "b")])
        #expect(
            Candidate.executions(["executions": [["execution": "E", "action": "a", "state": "queued"]]])
                == [Candidate(text: "E", description: "a queued")])
        #expect(Candidate.actions(.null) == [])
    }

    @Test("a daemon that is not there or does not answer completes nothing, soon")
    func silence() async throws {
        try await withFakeDaemon({ _, _ in }) { daemon in
            let began = ContinuousClock.now
            #expect(CompletionQuery(path: daemon.path).ask(.actionList) == nil)
            #expect(ContinuousClock.now - began >= CompletionQuery.patience)
            #expect(ContinuousClock.now - began < .seconds(60))
        }
        #expect(CompletionQuery(path: "/nonexistent/rxd.sock").ask(.actionList) == nil)
    }

    @Test("bash completes actions, executions and an input, through the script that it is given")
    func script() async throws {
        try await withFakeDaemon({ request, peer in
            switch request.method {
            case "action.list":
                peer.answer(request, #"{"actions":[{"action":"deploy"},{"action":"disk"},{"action":"echo"}]}"#)
            case "execution.list":
                peer.answer(request, #"{"executions":[{"execution":"01a1","action":"deploy","state":"queued"}]}"#)
            case "action.describe":
                peer.answer(
                    request,
                    #"{"schema":{"properties":{"env":{"enum":["prod","$(echo pr)"]},"name":{"type":"string"},"#
                        + #""n":{"type":"integer"}}}}"#
                )
            default: peer.close()
            }
        }) { daemon in
            let script = #"""
                source <(rxctl --generate-completion-script bash)
                # As bash calls it for `complete -F`: the words broken at = and :, the current one without a break.
                try() {
                    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
                    COMP_LINE="$line" COMP_POINT=${#line}
                    local current=${COMP_WORDS[COMP_CWORD]}
                    [[ $current != [=:]* ]] || current=
                    _rxctl_words rxctl "$current" "${COMP_WORDS[COMP_CWORD-1]}"
                    echo "${COMPREPLY[*]}"
                }
                line="rxctl execute d" try rxctl execute d
                line="rxctl cancel " try rxctl cancel ""
                line="rxctl wait " try rxctl wait ""
                line="rxctl execute deploy " try rxctl execute deploy ""
                line="rxctl execute deploy env=p" try rxctl execute deploy env = p
                line="rxctl check deploy n:=1 na" try rxctl check deploy n := 1 na
                line="rxctl -s /nonexistent why d" try rxctl -s /nonexistent why d
                """#
            let expected = [
                "deploy disk", "01a1 deploy disk echo", "01a1 deploy disk echo",
                #"env=prod env=\$\(echo\ pr\) name= n:="#, "prod",
                "name=",
            ]
            // A daemon that does not answer within a moment completes nothing, and a busy machine may stop this one.
            var lines: [String] = []
            for _ in 0..<10 where lines != expected { lines = await bash(script, socket: daemon.path).lines }
            #expect(lines == expected)
        }
    }

    @Test("the script for bash leaves no space after key=; those for other shells are as they are")
    func registration() {
        let script = BashCompletion.script(RootCommand.completionScript(for: .bash))
        #expect(script.contains("complete -F _rxctl_words rxctl"))
        #expect(!script.contains("-F _rxctl rxctl"))
        for shell in [CompletionShell.zsh, .fish] {
            let script = RootCommand.completionScript(for: shell)
            #expect(BashCompletion.script(script) == script)
        }
    }
}
