package import RxJSON

extension KeyTable {
    /// An object for each table: `{"table":NAME,"summary","keys"}`, with `keys` an array of
    /// `{"key","value","required","default","summary"}`, as those of sources and operators are.
    package static var values: [RawJSON] { all.map(value) }

    private static func value(_ table: ConfigurationTable) -> RawJSON {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("table", table.name)
            writer.field("summary", table.summary)
            writer.array("keys") { writer in
                for key in table.keys {
                    writer.object { writer in
                        writer.field("key", key.name)
                        writer.field("value", key.value)
                        writer.field("required", key.isRequired)
                        if let standard = key.standard { writer.field("default", standard) }
                        writer.field("summary", key.summary)
                    }
                }
            }
        }
        return RawJSON(unchecked: writer.bytes)
    }
}
