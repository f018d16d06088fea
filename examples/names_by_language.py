"""The language of a family name
=============================

Strings: the language of a family name, from its edit distances to names that are known.

No features are made of the names: letters that must be inserted, deleted or replaced, or
that are shared and begin alike (Jaro-Winkler), and the votes of the five nearest names.
"""

import matplotlib.pyplot as plt
from sklearn.metrics import ConfusionMatrixDisplay
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline

from similearn import NeighborsClassifier, PairwiseSimilarity
from similearn.similarities import JaroWinkler, Levenshtein

NAMES = {
    "Finnish": "korhonen virtanen mäkinen nieminen mäkelä hämäläinen laine heikkinen koskinen "
    "järvinen lehtonen lehtinen saarinen salminen heinonen niemi heikkilä salonen kinnunen "
    "turunen salo laitinen tuominen rantanen karjalainen jokinen mattila savolainen lahtinen",
    "Italian": "rossi russo ferrari esposito bianchi romano colombo ricci marino greco bruno "
    "gallo conti deluca costa giordano mancini rizzo lombardi moretti barbieri fontana "
    "santoro mariani rinaldi caruso ferrara galli martini leone longo gentile martinelli",
    "Japanese": "sato suzuki takahashi tanaka watanabe ito yamamoto nakamura kobayashi kato "
    "yoshida yamada sasaki yamaguchi matsumoto inoue kimura hayashi shimizu yamazaki mori "
    "abe ikeda hashimoto yamashita ishikawa nakajima maeda fujita ogawa goto okada hasegawa",
    "Polish": "nowak kowalski wiśniewski wójcik kowalczyk kamiński lewandowski zieliński "
    "szymański woźniak dąbrowski kozłowski jankowski mazur kwiatkowski wojciechowski krawczyk "
    "kaczmarek piotrowski grabowski pawłowski michalski król wieczorek jabłoński wróbel",
}
names = [name for line in NAMES.values() for name in line.split()]
language = [label for label, line in NAMES.items() for _ in line.split()]
folds = StratifiedKFold(10, shuffle=True, random_state=0)

for function in (Levenshtein(), Levenshtein(normalized=True), JaroWinkler()):
    vote = NeighborsClassifier(5, kind=function.kind)
    model = make_pipeline(PairwiseSimilarity(function), vote)
    guessed = cross_val_predict(model, names, language, cv=folds)
    wrong = sum(a != b for a, b in zip(guessed, language, strict=True))
    print(f"{function!s:30} {wrong:3} of {len(names)} names wrong")

# %%
# Which languages are taken for which, by Jaro-Winkler? Rows are true, columns are guessed.

figure, axis = plt.subplots(figsize=(4.6, 3.8), layout="constrained")
ConfusionMatrixDisplay.from_predictions(
    language, guessed, labels=list(NAMES), cmap="Blues", colorbar=False, ax=axis
)
axis.set(xlabel="guessed", ylabel="true")
plt.show()
