internal import RxJSON

/// What led to a reactor's states, for people.
enum RevisionTable {
    /// - Parameters:
    ///   - steps: the history in the reply to `reactor.history`.
    ///   - now: in milliseconds since 1970.
    static func lines(
        of steps: [JSONValue], at now: Int64, width: Int, isColored: Bool = TextColor.isShown
    ) -> [String] {
        var table = Table(
            [
                TableColumn("REVISION", alignsRight: true, showsEmpty: true),
                TableColumn("TIME", .optional(2), showsEmpty: true),
                TableColumn("BY", .optional(1), least: 8),
                TableColumn("ACTION", least: 10, showsEmpty: true),
                TableColumn("MUTATION", least: 10, showsEmpty: true),
            ], isColored: isColored)
        let rows = steps.map { step in
            [
                TableCell(step["revision"]?.int.map(String.init) ?? ""),
                TableCell(
                    step["time"]?.string.flatMap(WireTime.milliseconds).map { TimeWords.ago($0, at: now) } ?? "", .dim),
                TableCell(step["by"].map { Requester(by: $0).short } ?? ""), json(step["action"]),
                step["replaced"]?.string.map { TableCell("replaced: \($0)", .yellow) } ?? json(step["mutation"]),
            ]
        }
        return table.lines(rows, width: width)
    }

    private static func json(_ value: JSONValue?) -> TableCell {
        TableCell(value.map { $0.isNull ? "" : RawJSON($0).text } ?? "")
    }
}
