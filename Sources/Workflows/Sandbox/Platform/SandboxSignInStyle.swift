import Essentials

/// The style of the sign-in pages: light and dark, from a phone's width up.
enum SandboxSignInStyle {
    /// The hash that allows the style in a content security policy.
    static let hash = Data(SHA256.hash(of: Data(css.utf8))).base64EncodedString()

    static let css = """
        :root { color-scheme: light dark; --page: #eef1f6; --card: #fff; --text: #1b1d23; --soft: #5b6270;
        --line: #d7dce5; --tint: #2456c8; --on-tint: #fff; --wash: #e9effc; --warn: #fdf3dc; --bad: #fce8e6; }
        @media (prefers-color-scheme: dark) { :root { --page: #121318; --card: #1d1f26; --text: #eceef3; --soft: #a3aab8;
        --line: #373b46; --tint: #8fb2ff; --on-tint: #0d1a38; --wash: #26304a; --warn: #3a321c; --bad: #45221f; } }
        * { box-sizing: border-box; }
        body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; align-items: center;
        justify-content: center; gap: 1rem; padding: 1.5rem 1rem; background: var(--page); color: var(--text);
        font: 16px/1.45 system-ui, "Segoe UI", "Noto Sans", sans-serif; }
        main { width: 100%; max-width: 28rem; padding: 2rem; background: var(--card); border: 1px solid var(--line);
        border-radius: 14px; box-shadow: 0 8px 30px rgb(0 0 0 / .08); overflow-wrap: anywhere; }
        header { display: flex; align-items: center; gap: .5rem; color: var(--soft); font-weight: 600;
        font-size: .875rem; }
        .mark { width: 1rem; height: 1rem; border-radius: 5px; background: var(--tint); }
        h1 { font-size: 1.5rem; line-height: 1.2; margin: 1rem 0 .25rem; }
        h2, legend, .field { font-size: .8125rem; font-weight: 600; color: var(--soft); margin: 0 0 .5rem; padding: 0; }
        .lead { margin: 0 0 1.25rem; color: var(--soft); }
        .lead b { color: var(--text); }
        .notice { margin: 0 0 1.25rem; padding: .75rem 1rem; border-radius: 10px; background: var(--warn);
        font-size: .9375rem; }
        .error { background: var(--bad); }
        .code { font-family: ui-monospace, monospace; letter-spacing: .06em; white-space: nowrap; }
        fieldset { border: 0; margin: 0 0 1.25rem; padding: 0; min-width: 0; }
        .accounts { border: 1px solid var(--line); border-radius: 10px; max-height: 15.75rem; overflow-y: auto; }
        .account { display: flex; align-items: center; gap: .75rem; padding: .5rem .75rem; cursor: pointer;
        line-height: 1.25; }
        .account + .account { border-top: 1px solid var(--line); }
        .account:has(:checked) { background: var(--wash); }
        .account input { flex: none; width: 1.1rem; height: 1.1rem; margin: 0; accent-color: var(--tint); }
        .picture { flex: none; width: 2.25rem; height: 2.25rem; border-radius: 50%; display: grid; place-items: center;
        background: var(--tint); color: var(--on-tint); font-size: .8125rem; font-weight: 600; }
        small { color: var(--soft); font-size: .8125rem; }
        .scopes { list-style: none; margin: 0; padding: 0; font-size: .9375rem; }
        .scopes li { padding: .4rem 0; }
        .scopes b { display: block; font-size: .8125rem; font-weight: 600; }
        .scopes span { color: var(--soft); }
        .field { display: block; margin-bottom: 1rem; }
        .field input { display: block; width: 100%; margin-top: .35rem; padding: .65rem .75rem; font: inherit;
        font-family: ui-monospace, monospace; font-size: 1.25rem; letter-spacing: .12em; text-transform: uppercase;
        color: var(--text); background: var(--page); border: 1px solid var(--soft); border-radius: 8px; }
        .buttons { display: flex; flex-direction: row-reverse; gap: .75rem; margin: 1.5rem 0 0; }
        button { font: inherit; font-weight: 600; padding: .6rem 1.4rem; border-radius: 8px; cursor: pointer;
        border: 1px solid var(--tint); background: var(--tint); color: var(--on-tint); }
        button.quiet { background: transparent; color: var(--text); border-color: var(--soft); }
        :focus-visible { outline: 3px solid var(--tint); outline-offset: 2px; }
        dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem .75rem; margin: 0; font-size: .8125rem;
        color: var(--soft); }
        dd { margin: 0; }
        footer { max-width: 28rem; text-align: center; color: var(--soft); font-size: .8125rem; }
        @media (max-width: 30rem) { body { justify-content: flex-start; padding: .75rem; } main { padding: 1.25rem; }
        .buttons { flex-direction: column; } }
        """
}
