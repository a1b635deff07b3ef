internal import RxTerminal

/// The keys of `top`.
extension TopState {
    /// Lines that Page Up and Page Down go through.
    private static let page = 10

    /// Takes a key.
    ///
    /// - Returns: what is to be done.
    mutating func press(_ key: Key) -> TopRequest? {
        message = nil
        switch mode {
        case .list: return pressInList(key)
        case .filter: return pressInFilter(key)
        case .confirm(let request, _):
            mode = .list
            switch key {
            case .character("y"), .character("Y"): return request
            case _: return nil
            }
        case .reason(let kind, let name, var line):
            if key == .escape { mode = .list }
            if key == .enter {
                mode = .list
                return .disable(kind, name, reason: line.text)
            }
            if line.press(key) { mode = .reason(kind, name, line) }
            return nil
        case .form(let form): return press(key, in: form)
        case .text(let title, let lines, let first):
            scroll(key, title, lines, first)
            return nil
        }
    }

    private mutating func pressInList(_ key: Key) -> TopRequest? {
        switch key {
        case .character("q"): return .quit
        case .escape:
            isReadingLog = false
            if past != nil { past = nil } else { filter = LineEditor() }
        case .up, .character("k"): move(by: -1)
        case .down, .character("j"): move(by: 1)
        case .pageUp: move(by: -Self.page)
        case .pageDown: move(by: Self.page)
        case .home, .character("g"): move(by: -Int.max / 2)
        case .end, .character("G"): move(by: Int.max / 2)
        case .left: return goBack()
        case .right:
            if past?.goForward() == false { past = nil }
        case .character("/"): mode = .filter
        case .control, .enter, .tab, .backTab, .backspace, .delete, .paste: break
        case .character(let character): return act(character)
        }
        settle()
        return nil
    }

    private mutating func pressInFilter(_ key: Key) -> TopRequest? {
        switch key {
        case .enter, .down, .up: mode = .list
        case .escape:
            filter = LineEditor()
            mode = .list
        case _: _ = filter.press(key)
        }
        settle()
        return nil
    }

    /// One step back in time.
    private mutating func goBack() -> TopRequest? {
        guard !isReadingLog else { return nil }
        guard let past else {
            isReadingLog = true
            return .log(before: nil)
        }
        guard past.isAtBeginning else {
            self.past?.goBack()
            return nil
        }
        guard let before = past.before else {
            message = ("the log begins here", false)
            return nil
        }
        isReadingLog = true
        return .log(before: before)
    }

    // MARK: Keys that act on the selected item

    private mutating func act(_ key: Character) -> TopRequest? {
        guard "xedyo".contains(key), let item = selected else { return nil }
        if past != nil, "xed".contains(key) {
            message = ("this is the past; Esc returns to the present", true)
            return nil
        }
        switch (key, item.kind) {
        case ("y", .action), ("y", .stream): return .why(item.kind, item.name)
        case ("o", .action): return .output(item.name, execution: past?.lastStarted(of: item.name))
        case ("e", .action): return .form(item.name)
        case ("x", .action): askToCancel(item)
        case ("d", .action), ("d", .stream): askToSwitch(item)
        case _: message = (Self.advice(key, item), true)
        }
        return nil
    }

    private mutating func askToCancel(_ item: TopItem) {
        let count = (item.inFlight ?? 0) + (item.queued ?? 0)
        guard count > 0 else {
            message = ("\(item.name) has no executions in flight", true)
            return
        }
        let what = count == 1 ? "the execution" : "\(count) executions"
        // Requests for a later time are neither in flight nor queued, but are canceled as well.
        let later = item.next == nil ? "" : ", and any requested for a later time"
        mode = .confirm(.cancel(item.name), question: "Cancel \(what) of \(item.name)\(later)? y/n")
    }

    private mutating func askToSwitch(_ item: TopItem) {
        mode =
            item.isSwitchedOff
            ? .confirm(.enable(item.kind, item.name), question: "Enable \(item.name)? y/n")
            : .reason(item.kind, item.name, LineEditor())
    }

    /// What to do with an item for which a key is not.
    private static func advice(_ key: Character, _ item: TopItem) -> String {
        switch (key, item.kind) {
        case ("e", .reactor): "\(item.name) is a reactor: rxctl dispatch \(item.name)"
        case ("e", .stream): "\(item.name) is a stream: rxctl fire \(item.name)"
        case ("d", .reactor), ("y", .reactor): "\(item.name) is a reactor, and always enabled"
        case _: "\(item.name) is a \(item.kind.rawValue), and has no executions of its own"
        }
    }

    // MARK: Forms and texts

    private mutating func press(_ key: Key, in form: TopForm) -> TopRequest? {
        var form = form
        switch key {
        case .escape: mode = .list
        case .enter:
            guard !form.isSent else { return nil }
            switch form.result {
            case .input(let input):
                form.isSent = true
                mode = .form(form)
                return .execute(form.action, input: input)
            case .fault(let fault, let field):
                form.show(fault, field: field)
                mode = .form(form)
            }
        case _: if form.press(key) { mode = .form(form) }
        }
        return nil
    }

    private mutating func scroll(_ key: Key, _ title: String, _ lines: [String], _ first: Int) {
        let step: Int
        switch key {
        case .down, .character("j"): step = 1
        case .up, .character("k"): step = -1
        case .pageDown, .character(" "): step = Self.page
        case .pageUp: step = -Self.page
        case .home: step = -lines.count
        case .end: step = lines.count
        case .escape, .enter, .character("q"), .character("y"):
            mode = .list
            return
        case _: return
        }
        mode = .text(title: title, lines: lines, first: min(max(0, first + step), max(0, lines.count - 1)))
    }
}
