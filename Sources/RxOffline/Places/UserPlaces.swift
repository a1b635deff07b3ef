/// Where a user's own daemon has its files, `rxd --user`, by the XDG Base Directory Specification.
///
/// A variable that is empty, or no absolute path, counts as unset.
package struct UserPlaces {
    /// `$XDG_CONFIG_HOME/rxd`, by default `~/.config/rxd`. It may be missing.
    package let configuration: String
    /// `$XDG_STATE_HOME/rxd`, by default `~/.local/state/rxd`, after those above it that may be missing too.
    package let stateDirectories: [String]

    /// The last of these.
    package var state: String { stateDirectories.last! }

    /// - Throws: if HOME is needed and unset.
    package init(environment: (String) -> String?) throws(PlacesFault) {
        /// The directory of all programs, with those between it and the home.
        func base(_ variable: String, or parts: [String]) throws(PlacesFault) -> [String] {
            if let path = environment(variable), path.hasPrefix("/") { return [path] }
            guard let home = environment("HOME"), home.hasPrefix("/") else {
                throw PlacesFault("neither \(variable) nor HOME is set; set one of them to an absolute path")
            }
            return parts.indices.map { "\(home)/" + parts[...$0].joined(separator: "/") }
        }
        configuration = try base("XDG_CONFIG_HOME", or: [".config"]).last! + "/rxd"
        let states = try base("XDG_STATE_HOME", or: [".local", "state"])
        stateDirectories = states + [states.last! + "/rxd"]
    }
}

/// Why the daemon has no place for its files, and what to do, in one sentence.
package struct PlacesFault: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
