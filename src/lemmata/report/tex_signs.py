"""What the commands of TeX stand for in Unicode, and what each is to its neighbours."""

from typing import Literal

Kind = Literal[
    "letter", "name", "binary", "relation", "open", "close", "punct", "slash", "frac", "space", "size", "text"
]
Atom = tuple[Kind, str]

LETTERS = """alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ
lambda λ mu μ nu ν xi ξ pi π rho ρ varrho ϱ sigma σ tau τ upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ
Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω ell ℓ infty ∞ partial ∂ nabla ∇ top ⊤ bot ⊥ emptyset ∅
prime ′ ldots … dots … cdots ⋯ forall ∀ exists ∃ neg ¬ star ⋆ dagger † degree ° \\% % \\# # \\& & \\_ _ \\$ $ \\| ‖"""
BIG = "sum ∑ prod ∏ int ∫ bigcup ⋃ bigcap ⋂"
NAMES = "log ln exp sin cos tan tanh max min sup inf lim det dim ker arg Pr argmax argmin softmax rank tr gcd"
BINARY = """+ + - − cdot · times × pm ± mp ∓ cup ∪ cap ∩ setminus ∖ wedge ∧ vee ∨ odot ⊙ otimes ⊗ oplus ⊕ circ ∘ ast ∗
div ÷"""
RELATIONS = """= = < < > > := := le ≤ leq ≤ leqslant ≤ ge ≥ geq ≥ geqslant ≥ ne ≠ neq ≠ to → rightarrow → leftarrow ←
gets ← mapsto ↦ Rightarrow ⇒ implies ⇒ iff ⇔ Leftrightarrow ⇔ leftrightarrow ↔ in ∈ notin ∉ ni ∋ subset ⊂ subseteq ⊆
supset ⊃ supseteq ⊇ sim ∼ simeq ≃ approx ≈ propto ∝ equiv ≡ ll ≪ gg ≫ lesssim ≲ gtrsim ≳ mid | perp ⟂ parallel ∥
asymp ≍ lt < gt >"""
OPEN = "( ( [ [ \\{ { lfloor ⌊ lceil ⌈ langle ⟨ lvert | lVert ‖ lbrace {"
CLOSE = ") ) ] ] \\} } rfloor ⌋ rceil ⌉ rangle ⟩ rvert | rVert ‖ rbrace }"
SIZES = "left right big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr bigm displaystyle textstyle limits !"
ACCENTS = {"hat": "\u0302", "widehat": "\u0302", "tilde": "\u0303", "widetilde": "\u0303", "bar": "\u0304"}
ACCENTS |= {"overline": "\u0304", "dot": "\u0307", "ddot": "\u0308", "vec": "\u20d7"}
VULGAR = {"1/2": "½", "1/3": "⅓", "2/3": "⅔", "1/4": "¼", "3/4": "¾", "1/5": "⅕", "1/6": "⅙", "5/6": "⅚", "1/8": "⅛"}
ALPHABETS = {"mathbb": "DOUBLE-STRUCK", "mathcal": "SCRIPT", "mathscr": "SCRIPT"}
UPRIGHT = {"text", "textit", "textbf", "textrm", "mathrm", "mathbf", "mathit", "mathsf", "boldsymbol", "bm"}

RAISED = dict(zip("0123456789+−=()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾", strict=True))
RAISED |= dict(zip("abcdefghijklmnoprstuvwxyzT⊤", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵀᵀ", strict=True))
RAISED |= {"*": "*", "∗": "*", "⋆": "⋆", "′": "′"}
LOWERED = dict(zip("0123456789+−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎", strict=True))
LOWERED |= dict(zip("aehijklmnoprstuvx", "ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True))


def _table(kind: Kind, words: str) -> dict[str, Atom]:
    names = words.split()
    pairs = zip(names[::2], names[1::2], strict=True)
    return {f"\\{name}" if name.isalpha() else name: (kind, sign) for name, sign in pairs}


SIGNS: dict[str, Atom] = _table("letter", LETTERS) | _table("name", BIG) | _table("binary", BINARY)
SIGNS |= _table("relation", RELATIONS) | _table("open", OPEN) | _table("close", CLOSE)
SIGNS |= {f"\\{name}": ("name", name) for name in NAMES.split()}
SIGNS |= dict.fromkeys((f"\\{name}" for name in SIZES.split()), ("size", ""))
SIGNS |= dict.fromkeys(("~", r"\quad", r"\qquad", r"\,", r"\:", r"\;", "\\ "), ("space", " "))
SIGNS |= {",": ("punct", ","), ";": ("punct", ";"), r"\colon": ("punct", ":"), "/": ("slash", "/")}
COMMANDS = {sign: name for name, (_, sign) in reversed(SIGNS.items()) if len(sign) == 1 and not sign.isascii()}
