/// What is special about an action of the model: its words, and what of the bounds of agents it may do.
package struct GraphAction: Sendable {
    /// The words for a person, with `%` for the object.
    package let words: String
    /// Whether it may send mails.
    package let mayMail: Bool
    package let mayDelete: Bool
    /// Whether it may reach somebody outside.
    package let mayLeave: Bool

    /// Actions that change nothing.
    private static let reading: Set<String> = [
        "checkGrantedPermissionsForApp", "checkMemberGroups", "checkMemberObjects", "estimateAccess",
        "evaluateApplication", "evaluateClassificationResults", "evaluateRemoval", "extractSensitivityLabels",
        "findMeetingTimes", "getAvailableExtensionProperties", "getByIds", "getMailTips", "getMemberGroups",
        "getMemberObjects", "getPresencesByUserId", "getSchedule", "getStaffAvailability", "translateExchangeIds",
        "validateCredentials", "validatePassword", "validatePermission", "validateProperties", "whatIf",
    ]

    /// Whether an action changes nothing: a workbook's functions only calculate.
    static func onlyReads(_ action: String, of what: String) -> Bool {
        reading.contains(action) || what == "workbookFunctions" || action == "query" && what == "searchEntity"
    }

    /// A type or `*`, an action, and which of mail (`m`), deletion (`d`) and people outside (`o`) it may have.
    private static let table: [String: GraphAction] = """
        user revokeSignInSessions - revokes the sign-in sessions of %
        user invalidateAllRefreshTokens - revokes the sign-in sessions of %
        user changePassword - changes the password of %
        user exportPersonalData o exports the personal data of %
        user removeAllDevicesFromManagement d removes all devices of % from management
        user reprocessLicenseAssignment - assigns the licenses of % anew
        user retryServiceProvisioning - prepares the services of % anew
        user wipeManagedAppRegistrationsByDeviceTag d wipes the data of apps on a device of %
        group addFavorite - adds % to the favorites
        group removeFavorite - removes % from the favorites
        group renew - renews %
        group resetUnseenCount - marks all posts of % as seen
        group subscribeByMail m subscribes to the mails of %
        group unsubscribeByMail - unsubscribes from the mails of %
        group retryServiceProvisioning - prepares the services of % anew
        team archive - archives %
        team unarchive - makes % active again
        team clone m makes a copy of %
        team completeMigration - ends the migration of %
        channel archive - archives %
        channel unarchive - makes % active again
        channel provisionEmail o gives % an address for mails
        channel removeEmail - takes the address for mails from %
        chat hideForUser - hides % for a user
        chat unhideForUser - shows % to a user again
        chat markChatReadForUser - marks % as read
        chat markChatUnreadForUser - marks % as unread
        chatMessage softDelete d deletes %
        chatMessage undoSoftDelete - brings back %
        chatMessage setReaction - reacts to %
        chatMessage unsetReaction - takes back a reaction to %
        message move d moves %
        message copy - copies %
        mailFolder move d moves %
        mailFolder copy - copies %
        event accept mo accepts %
        event decline mo declines %
        event tentativelyAccept mo accepts % tentatively
        event dismissReminder - dismisses the reminder of %
        event snoozeReminder - delays the reminder of %
        driveItem checkin - checks in %
        driveItem checkout - checks out %
        driveItem discardCheckout - discards the check-out of %
        driveItem follow - follows %
        driveItem unfollow - no longer follows %
        driveItem restore - restores %
        driveItem assignSensitivityLabel - sets the sensitivity label of %
        driveItemVersion restoreVersion - restores an earlier version of %
        listItemVersion restoreVersion - restores an earlier version of %
        directoryObject restore - restores %
        user restore - restores %
        group restore - restores %
        site add - follows %
        site remove - no longer follows %
        riskyUser confirmCompromised - marks % as compromised
        riskyUser confirmSafe - marks % as safe
        riskyUser dismiss - dismisses the risk of %
        riskyServicePrincipal confirmCompromised - marks % as compromised
        riskyServicePrincipal dismiss - dismisses the risk of %
        application setVerifiedPublisher - sets the verified publisher of %
        application unsetVerifiedPublisher - removes the verified publisher of %
        managedDevice wipe d wipes %
        managedDevice retire d removes the organization's data from %
        managedDevice cleanWindowsDevice d removes the apps of %
        managedDevice remoteLock - locks %
        managedDevice resetPasscode - resets the passcode of %
        managedDevice rebootNow - restarts %
        managedDevice shutDown - shuts down %
        managedDevice syncDevice - synchronizes %
        managedDevice locateDevice o locates %
        managedDevice windowsDefenderScan - scans % for viruses
        subscription reauthorize - authorizes % again
        workbook createSession - opens a session of %
        workbook closeSession - closes a session of %
        """.split(separator: "\n").reduce(into: [:]) { table, row in
            let words = row.split(separator: " ", maxSplits: 3)
            table["\(words[0]) \(words[1])"] = GraphAction(
                words: String(words[3]), mayMail: words[2].contains("m"), mayDelete: words[2].contains("d"),
                mayLeave: words[2].contains("o"))
        }

    /// - Returns: Nil for an action of which nothing special is known.
    package init?(_ action: Effect.Action) {
        guard let name = action.action.string, let what = action.what, let found = Self.table["\(what) \(name)"] else {
            return nil
        }
        self = found
    }

    private init(words: String, mayMail: Bool, mayDelete: Bool, mayLeave: Bool) {
        self.words = words
        self.mayMail = mayMail
        self.mayDelete = mayDelete
        self.mayLeave = mayLeave
    }
}
