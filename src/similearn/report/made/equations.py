"""The equation of each family of methods, for the last page; papers are in the registry."""

_EQUATIONS = {
    "auto": "P(g | x) = Σₘ wₘ Pₘ(g | x); weights w by held-out log-loss; "
    "Pₘ = (1 − e) softmax(a zₘ) + e · prior, of the scores zₘ of member m",
    "knn": "P(g | x) = (1/k) Σᵢ [yᵢ = g], over the k nearest",
    "affinity-knn": "P(g | x) ∝ Σᵢ ψ(x, xᵢ) [yᵢ = g], over the k nearest",
    "krr-knn": "w = (S + λI)⁻¹ s, of the k nearest; P(g | x) from Σᵢ wᵢ [yᵢ = g]",
    "kri-knn": "minimize ½ wᵀSw − sᵀw + ½ λ wᵀw over w ≥ 0, Σᵢ wᵢ = 1; P(g | x) = Σᵢ wᵢ [yᵢ = g]",
    "lime-knn": "minimize wᵀSw − 2 sᵀw − λ H(w) over w ≥ 0, Σᵢ wᵢ = 1; P(g | x) = Σᵢ wᵢ [yᵢ = g]",
    "svm": "f(x) = Σᵢ αᵢ yᵢ ψ̃(x, xᵢ) + b, with ψ̃ made positive semidefinite by its eigenvalues",
    "svm-knn": "a support vector machine of the k nearest samples of each query",
    "indefinite-fisher": "f_g(x) = sᵀN⁻¹m_g − ½ m_gᵀN⁻¹m_g, with class means m_g of rows and "
    "their scatter N, plus a ridge",
    "features-svm": "f(x) = wᵀ s(x) + b on rows s(x) = (ψ(x, x₁), …, ψ(x, xₙ)) as features",
    "sda": "argmax_g P(g) Πₕ P(ψ(x, μₕ) | g), each pmf γ exp(λψ), of centroids μₕ",
    "bda": "argmax_g P(g) E[N(x; μ_g, Σ_g)], over the posterior of means and covariances",
    "dboost": "f(x) = Σₜ hₜ(d(x, aₜ) − d(x, bₜ)), stumps h of pairs of samples (a, b)",
    "cdnn": "δ(i, j) = πᵢⱼᵀ A πᵢⱼ of the dissimilarities π of a pair, A copositive",
    "fusion": "P(g | x) ∝ P(g) Πₛ P(xₛ | g), over sources s",
    "psvm": "minimize ½ ‖y − Sα‖² + ε ‖α‖₁, subject to ‖α‖∞ ≤ C",
    "lp-machine": "minimize ‖w‖₁ + C Σᵢ max(0, 1 − yᵢ (wᵀsᵢ + b))",
}


def equation_of(method: str) -> str:
    """The equation of a method, or of the family that its name tells; empty if none does."""
    method = method.removesuffix("Classifier").lower()
    if method in _EQUATIONS:
        return _EQUATIONS[method]
    words = set(method.split("-"))
    known = [name for name in _EQUATIONS if set(name.split("-")) <= words]
    return _EQUATIONS[max(known, key=len)] if known else ""
