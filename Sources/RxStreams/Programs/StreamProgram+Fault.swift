extension StreamProgram {
    /// Returns why `text` cannot be a program of a stream, by its words alone; nil if jq may compile it.
    ///
    /// Rejected is what makes a result depend on something other than the input, what has an effect, and a closing
    /// bracket without an opening one. A definition of one's own with such a name is rejected as well.
    public static func fault(in text: String) -> String? {
        var scan = ProgramScan(text)
        for name in scan.run() {
            switch name {
            case .function(let name) where unavailable.contains(name):
                return #"uses "\#(name)", which is not available in programs of streams"#
            case .variable("ENV"): return #"uses "$ENV", which is not available in programs of streams"#
            case .function, .variable: continue
            }
        }
        return scan.unexpected.map { #"syntax error, unexpected "\#($0)""# }
    }

    /// Whether a program has `=`, which assigns, where a condition most probably means `==`.
    public static func assigns(in text: String) -> Bool {
        var scan = ProgramScan(text)
        _ = scan.run()
        return scan.assigns
    }

    /// Whether a program closes a bracket that it has not opened. jq reports the place only if it compiles the program
    /// by itself: as a part of another one, such a program may be valid.
    public static func closesTooMuch(_ text: String) -> Bool {
        var scan = ProgramScan(text)
        _ = scan.run()
        return scan.unexpected != nil
    }

    private static let unavailable: Set<String> = [
        // The environment.
        "env", "localtime", "strflocaltime",
        // Other inputs than the element, and where they come from.
        "input", "inputs", "input_filename", "input_line_number",
        // Files and other descriptors.
        "import", "include", "modulemeta", "get_search_list", "stderr",
    ]
}
