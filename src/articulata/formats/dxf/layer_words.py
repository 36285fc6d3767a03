"""What layers and blocks of drawings are called, in the words of several languages.

After the AIA CAD Layer Guidelines (A-WALL, A-DOOR, A-GLAZ, I-FURN, P-FIXT) and common words of
English, German, French, Spanish, Italian, Dutch and Russian.
"""

from __future__ import annotations

import re
from typing import Final

WORDS: Final[dict[str, str]] = {
    "": (
        "text txt note notes anno dim dims dimension bema masse cota cotas cote cotes maße hatch "
        "schraff pattern texture grid axis axes achs axe eje title frame defpoint viewport symbol "
        "name landscap topograph contour plant tree arbre arbol roof dach toit techo ceil header "
        "beam footer footing foundation fundament stem projection light elec level nivel site "
        "section elev revcloud stair treppe escalera scala trap graphics detail north"
    ),
    "door": (
        "door doors tür türe türen tuer tueren porte portes porta puerta deur deuren двер opening"
    ),
    "window": (
        "window windows glaz glas glass verglas fenster fenêtre fenetre ventana finestr raam окн"
    ),
    "furniture": (
        "furn möbel moebel mobil meuble mueble arred inricht equip fixt fixture fitting sanit "
        "plumb kitch küche kueche cuisine cocina cucina keuken case cabinet casework table tisch "
        "desk shelv shelf regal couch sofa bench chair stuhl bed bett lit cama appliance storage "
        "closet wardrobe schrank toilet wc bath bad sink basin lavabo waschb shower dusche douche "
        "ducha tub fridge refrig stove cooktop ckt range oven washer dryer dish мебел сантех"
    ),
    "wall": (
        "wall walls wand wände waende mauer mur murs muro muros muri pared parete tabique cloison "
        "muur muren partition стен column columns stütze pillar pilar poteau"
    ),
}  # fmt: skip
"""Words by what they name; longer than three letters they also begin a word. What is left out goes
first, then the first word of a name counts: "murs porteurs" are walls."""
HEIGHTS: Final[dict[str, float]] = {
    "table tisch desk mesa": 0.74, "chair stuhl stool": 0.45, "sofa couch bench": 0.43,
    "bed bett": 0.5, "toilet wc": 0.42, "bath tub bad": 0.57,
    "shower dusche douche ducha": 0.03, "sink basin lavabo waschb kit": 0.87,
    "ckt cooktop stove range oven dish kitch küche kueche counter": 0.91,
    "washer dryer": 0.87, "fridge refrig sngref": 1.75,
    "shelv shelf regal closet wardrobe schrank storage": 1.9,
}  # fmt: skip
"""m, usual heights of furniture by its words."""
USUAL: Final = 0.75
"""m, the height of furniture whose words say nothing."""


def kind_of(layer: str, blocks: tuple[str, ...] = ()) -> str | None:
    """Return what a stroke draws: a key of ``WORDS``, "" for what is left out, None: unknown.

    The innermost block that says something decides, else the layer.

    >>> kind_of("xref-house$0$A-WALL"), kind_of("A-ANNO-DIMS"), kind_of("0", ("P-Toilet",))
    ('wall', '', 'furniture')
    """
    for name in (*blocks[::-1], layer):
        words = words_of(name)
        if any(_says(word, _KNOWN[""]) for word in words):
            return ""
        for word in words:
            for kind, known in _KNOWN.items():
                if _says(word, known):
                    return kind
    return None


def height_of(layer: str, blocks: tuple[str, ...]) -> float | None:
    """Return how high (m) furniture called so usually is, None where nothing tells."""
    for name in (*blocks[::-1], layer):
        words = words_of(name)
        for known, height in _HEIGHTS:
            if any(_says(word, known) for word in words):
                return height
    return None


def words_of(name: str) -> list[str]:
    """Return the words of a layer or block without the drawing that it comes from."""
    own = re.split(r"\$\d+\$|\|", name)[-1]
    apart = re.sub(r"(?<=[a-zà-ÿ])(?=[A-ZÀ-Þ])", " ", own).lower()
    return re.findall(r"[^\W\d_]+", apart)


def _says(word: str, known: frozenset[str]) -> bool:
    return word in known or any(len(each) > 3 and word.startswith(each) for each in known)


_KNOWN: Final = {kind: frozenset(words.split()) for kind, words in WORDS.items()}
_HEIGHTS: Final = [(frozenset(words.split()), height) for words, height in HEIGHTS.items()]
