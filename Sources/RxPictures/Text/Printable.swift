extension String {
    /// The text on one line: runs of white space become one space, and other control characters and what XML cannot
    /// contain become U+FFFD.
    var oneLine: String {
        var text = String.UnicodeScalarView()
        var isSpace = false
        for scalar in unicodeScalars {
            if scalar.properties.isWhitespace {
                isSpace = true
                continue
            }
            if isSpace && !text.isEmpty { text.append(" ") }
            isSpace = false
            text.append(scalar.isPrintable ? scalar : "\u{FFFD}")
        }
        return String(text)
    }
}

extension Unicode.Scalar {
    /// Whether a picture may contain it: neither a control, a change of direction, a surrogate, nor unassigned.
    fileprivate var isPrintable: Bool {
        switch properties.generalCategory {
        case .control, .surrogate, .unassigned, .lineSeparator, .paragraphSeparator: false
        case .format: value == 0x200D
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber, .connectorPunctuation,
            .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation,
            .otherPunctuation, .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol, .spaceSeparator,
            .privateUse:
            true
        @unknown default: false
        }
    }
}
