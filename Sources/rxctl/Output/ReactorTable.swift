internal import RxJSON

/// The list of reactors for people.
enum ReactorTable {
    static func lines(of reactors: [JSONValue], width: Int, isColored: Bool = TextColor.isShown) -> [String] {
        var table = Table(
            [
                TableColumn("REACTOR", least: 12, showsEmpty: true),
                TableColumn("REVISION", .optional(3), alignsRight: true, showsEmpty: true),
                TableColumn("KEPT", .optional(2), showsEmpty: true),
                TableColumn("KIND", .extra),
                TableColumn("DESCRIPTION", .optional(1), least: 10),
            ], isColored: isColored)
        let rows = reactors.map { reactor in
            [
                TableCell(reactor.text("reactor")), TableCell(reactor["revision"]?.int.map(String.init) ?? ""),
                TableCell(reactor["durability"]?.string ?? "no"), TableCell(reactor.text("kind")),
                TableCell(reactor.text("description")),
            ]
        }
        return table.lines(rows, width: width)
    }
}
